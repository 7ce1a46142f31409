package message_test

import (
	"fmt"
	"log"

	"github.com/cambium-dev/cambium/message"
)

// What is changed of a message is edited in its text: all else stays, byte for byte.
func Example() {
	m, err := message.Decode([]byte(`{"role":"user","content":"Hi","mine":1}`))
	if err != nil {
		log.Fatal(err)
	}
	m.(*message.User).Content = message.TextContent("Hello")
	fmt.Println(string(message.Encode(m)))
	// Output: {"role":"user","content":"Hello","mine":1}
}
