package session_test
import ("testing";"context";"os";"github.com/cambium-dev/cambium/session";"github.com/cambium-dev/cambium/entry";"github.com/cambium-dev/cambium/layout";"strings")
func BenchmarkZZAppend(b *testing.B){
 d:=b.TempDir(); f:=d+"/s.jsonl"; os.WriteFile(f,[]byte(`{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`+"\n"),0o600)
 s,err:=session.Open(context.Background(), f, session.Options{Env:layout.Env{Home:d,Cwd:d},Sync:session.SyncNone}); if err!=nil{b.Fatal(err)}
 body,_:=entry.ParseBody([]byte(`{"type":"message","message":{"role":"user","content":"`+strings.Repeat("abcdefgh ",204)+`","timestamp":1}}`))
 b.ReportAllocs(); b.ResetTimer()
 for i:=0;i<b.N;i++{ if _,err:=s.Append(context.Background(),body);err!=nil{b.Fatal(err)} }
}
