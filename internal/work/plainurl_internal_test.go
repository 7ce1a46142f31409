package work

import (
	"testing"
)

func TestPlainURL(t *testing.T) {
	for raw, want := range map[string]string{
		"postgres://ada@db.example.org/sessions":            "postgres://ada@db.example.org/sessions",
		"postgres://ada:p%40ss@db/sessions?sslmode=require": "postgres://ada@db/sessions?sslmode=require",
		"postgres://ada:p@db,other:5433/sessions":           "postgres://ada@db,other:5433/sessions",
		"postgres://:p@db/sessions":                         "postgres://db/sessions",
		"postgres://db/a@b":                                 "postgres://db/a@b",
		"postgres://ada:p/q@db/sessions":                    "postgres://ada@db/sessions",
		"postgres://ada:p@q@db/a@b":                         "postgres://ada@db/a@b",
		"postgres://ada:p#q@db":                             "postgres://ada@db",
		"postgresql://db/x?user=ada&password=p&schema=s":    "postgresql://db/x?user=ada&schema=s",
		"postgres://db/x?p%61ssword=p&sslpassword=q":        "postgres://db/x",
		"nats://a:4222,b:4222?replicas=3":                   "nats://a:4222,b:4222?replicas=3",
		"nats://u:p@a":                                      "nats://u@a",
		"nats://u:p@a,nats://u:q@b":                         "nats://u@a,nats://u@b",
		"nats://u:p@a:4222,v:q@b,c?stream=S":                "nats://u@a:4222,v@b,c?stream=S",
		"tls://u:p@a,tls://v:q@b,tls://:r@c/":               "tls://u@a,tls://v@b,tls://c/",
		"nats://t0ken@a,nats://t0ken@b,t0ken@c":             "nats://a,nats://b,c",
		"nats://u:p@q@a,u:p/q@b":                            "nats://u@a,u@b",
		"nats://[::1]:4222":                                 "nats://[::1]:4222",
		"postgres://ada:p@[::1]:5432/x":                     "postgres://ada@[::1]:5432/x",
		"postgres:///x?host=/run/postgresql":                "postgres:///x?host=/run/postgresql",
	} {
		if got := PlainURL(raw); got != want {
			t.Errorf("%s is shown as %s, want %s", raw, got, want)
		}
	}
}
