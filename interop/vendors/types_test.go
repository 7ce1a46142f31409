//go:build peers

package vendors_test

import (
	"bytes"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	anthropic "github.com/anthropics/anthropic-sdk-go"
	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/go-json-experiment/json"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
)

// TestTheVendorsTypesFindWhatTheyRequire decodes every event with the types of
// the vendors' libraries and looks for the members that those call required.
// What the vendors' own streams lack, too, is passed over.
func TestTheVendorsTypesFindWhatTheyRequire(t *testing.T) {
	lax := []string{
		// Told in the newest versions only.
		"OutputTokensDetails", "InferenceGeo", "ServiceTier", "Speed", "CacheCreation", "ServerToolUse", "Container", "StopDetails",
		"Diagnostics", "AccessPrograms", "ToolChoice", "Tools", "Temperature", "TopP", "Metadata", "Logprobs", "Caller", "CacheWriteTokens",
		// Left out by the vendors' published examples.
		"Citations", "Usage", "InputTokens", "CacheCreationInputTokens", "CacheReadInputTokens", "Signature", "EncryptedContent",
		"WebFetchRequests", "InputTransformations", "OutputTokens",
	}
	say := wiretest.Say{Thinking: "so so", Redacted: "x", Text: "a b", Calls: []wiretest.Call{{Name: "ls"}}, Usage: wiretest.Usage{Reasoning: 1, Input: 1}}
	short := say
	short.Stop = "length"
	for _, p := range wiretest.Protocols() {
		replies := map[string]wiretest.Reply{"say": wiretest.Answer(say), "say length": wiretest.Answer(short)}
		for _, name := range wiretest.Files(p) {
			if name != "unknown_events" && name != "error" {
				replies[name] = wiretest.FromFile(name)
			}
		}
		for name, reply := range replies {
			for _, line := range bytes.Split(stream(t, wiretest.New(t, reply), p), []byte("\n")) {
				data, ok := bytes.CutPrefix(line, []byte("data: "))
				if !ok || string(data) == "[DONE]" || bytes.Contains(data, []byte(`"type": "ping"`)) || bytes.Contains(data, []byte(`"type":"ping"`)) ||
					bytes.Contains(data, []byte(`"type": "error"`)) {
					continue
				}
				for _, missing := range missing(t, p, data) {
					field := missing[strings.LastIndexByte(missing, '.')+1:]
					if !contains(lax, field) {
						t.Errorf("%s %s: %s is missing in %s", p, name, missing, data)
					}
				}
			}
		}
	}
}

// stream returns what a server answers.
func stream(t *testing.T, s *wiretest.Server, p wiretest.Protocol) []byte {
	t.Helper()
	paths := map[wiretest.Protocol]string{wiretest.Anthropic: "/v1/messages", wiretest.Chat: "/v1/chat/completions", wiretest.Responses: "/v1/responses"}
	res, err := http.Post(s.URL+paths[p], "application/json", strings.NewReader(`{"model":"m","stream_options":{"include_usage":true}}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	all, err := io.ReadAll(res.Body)
	if err != nil || len(all) == 0 {
		t.Fatalf("%s: %d bytes, %v", p, len(all), err)
	}
	return all
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

// missing returns the required members that an event does not have.
func missing(t *testing.T, p wiretest.Protocol, data []byte) []string {
	t.Helper()
	var into any
	switch p {
	case wiretest.Chat:
		into = new(openai.ChatCompletionChunk)
	case wiretest.Responses:
		into = new(responses.ResponseStreamEventUnion)
	default:
		into = new(anthropic.MessageStreamEventUnion)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	var found []string
	require(reflect.ValueOf(into).Elem(), string(p), &found)
	return found
}

// require looks through a value of a vendor's type: "JSON" in each struct says
// which members there were.
func require(v reflect.Value, path string, found *[]string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			require(v.Elem(), path, found)
		}
		return
	case reflect.Slice:
		for i := range v.Len() {
			require(v.Index(i), path, found)
		}
		return
	case reflect.Struct:
	default:
		return
	}
	if as := v.MethodByName("AsAny"); as.IsValid() && as.Type().NumIn() == 0 {
		variant := as.Call(nil)[0]
		if variant.IsNil() {
			*found = append(*found, path+".(no variant)")
			return
		}
		require(variant.Elem(), path, found)
		return
	}
	members := v.FieldByName("JSON")
	if !members.IsValid() {
		return
	}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if field.Name == "JSON" || !field.IsExported() {
			continue
		}
		known := members.FieldByName(field.Name)
		if !known.IsValid() {
			continue
		}
		raw := known.MethodByName("Raw").Call(nil)[0].String()
		if raw == "" && field.Tag.Get("api") == "required" {
			*found = append(*found, path+"."+field.Name)
		} else if raw != "" && raw != "null" {
			require(v.Field(i), path+"."+field.Name, found)
		}
	}
}
