# A server of sessions: `cambium serve`, with nothing beside it. The binary is that of a
# release, or of `CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" ./cmd/cambium`.
# doc/serve.md says what it has to be given.
FROM gcr.io/distroless/static-debian12:nonroot
COPY cambium /usr/bin/cambium
ENTRYPOINT ["/usr/bin/cambium", "serve"]
