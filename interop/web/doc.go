// Package web opens what cambium export writes in a real browser: Chromium, which "make web"
// installs. Its tests carry the build tag web.
package web
