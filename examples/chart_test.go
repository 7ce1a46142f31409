package examples_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"
)

// chart draws soil moisture over a day as a PNG: it falls while the sun is up
// and jumps when the beds are watered, at the given hours.
func chart(t *testing.T, watered ...int) []byte {
	t.Helper()
	const width, height = 96, 40
	palette := color.Palette{color.White, color.Gray{200}, color.RGBA{30, 110, 70, 255}, color.RGBA{40, 90, 190, 255}}
	img := image.NewPaletted(image.Rect(0, 0, width, height), palette)
	for x := range width {
		for y := 9; y < height; y += 10 {
			img.SetColorIndex(x, y, 1)
		}
	}
	level := 14.0
	for x := range width {
		hour := x / 4
		if hour >= 8 && hour < 20 {
			level -= 0.3
		} else {
			level -= 0.05
		}
		for _, at := range watered {
			if hour != at {
				continue
			}
			level += 3
			for y := range 3 {
				img.SetColorIndex(x, y, 3)
			}
		}
		level = min(max(level, 1), height-6)
		for y := height - 1 - int(level); y < height; y++ {
			img.SetColorIndex(x, y, 2)
		}
	}
	var b bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.NoCompression} // the same bytes from every version of the encoder
	if err := enc.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
