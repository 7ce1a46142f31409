package acp

// Encoded is encoded.
var Encoded = encoded
