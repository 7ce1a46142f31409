package jetstream

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/internal/serverstatus"
	"github.com/go-json-experiment/json"
)

// Key tells stores apart: the servers in the URL and the stream. No password is in
// it.
func (s *natsStore) Key() string { return fmt.Sprintf("nats %s %s", s.where, s.opt.Stream) }

// Status describes the server and what is stored.
func (s *natsStore) Status(ctx context.Context) (serverstatus.JetStream, error) {
	fail := func(err error) (serverstatus.JetStream, error) {
		return serverstatus.JetStream{}, fmt.Errorf("read status: %w", err)
	}
	var info struct {
		Error  *apiError `json:"error"`
		Config struct {
			Replicas int    `json:"num_replicas"`
			Storage  string `json:"storage"`
			MaxBytes int64  `json:"max_bytes"`
		} `json:"config"`
		State struct {
			Messages uint64 `json:"messages"`
			Bytes    uint64 `json:"bytes"`
			Subjects uint64 `json:"num_subjects"`
		} `json:"state"`
		Cluster struct {
			Name     string `json:"name"`
			Leader   string `json:"leader"`
			Replicas []struct {
				Current bool `json:"current"`
			} `json:"replicas"`
		} `json:"cluster"`
	}
	err := s.do(ctx, func(ctx context.Context) error {
		if err := s.call(ctx, "STREAM.INFO."+s.opt.Stream, struct{}{}, &info); err != nil {
			return err
		}
		if info.Error != nil {
			return info.Error
		}
		return nil
	})
	if err != nil {
		return fail(err)
	}
	st := serverstatus.JetStream{
		Server: s.nc.ConnectedServerVersion(), Where: s.where, Cluster: info.Cluster.Name, Stream: s.opt.Stream,
		Leader: info.Cluster.Leader, Replicas: info.Config.Replicas, Current: 1, Memory: info.Config.Storage == "memory",
		Sync: "unknown", MaxPayload: s.nc.MaxPayload(), MaxBytes: info.Config.MaxBytes,
		Subjects: info.State.Subjects, Messages: info.State.Messages, Bytes: info.State.Bytes,
	}
	if err := s.count(ctx, &st); err != nil {
		return fail(err)
	}
	for _, r := range info.Cluster.Replicas {
		if r.Current {
			st.Current++
		}
	}
	if len(s.opt.monitor) > 0 {
		if st.Sync, err = s.syncMode(ctx); err != nil {
			return fail(err)
		}
	}
	return st, nil
}

// countSubjects is up to how many subjects of a stream what they name is counted:
// each has to come here.
const countSubjects = 20000

// count counts logs and blobs. A log has a subject for its name and one at least
// for what is in it; a blob one for its name and, unless it is empty, one for that.
func (s *natsStore) count(ctx context.Context, st *serverstatus.JetStream) error {
	var info struct {
		Error *apiError `json:"error"`
		State struct {
			Subjects uint64            `json:"num_subjects"`
			Each     map[string]uint64 `json:"subjects"`
		} `json:"state"`
	}
	of := func(stream string, filter any) error {
		return s.do(ctx, func(ctx context.Context) error {
			if err := s.call(ctx, "STREAM.INFO."+stream, filter, &info); err != nil || info.Error == nil {
				return err
			}
			return info.Error
		})
	}
	if st.About = st.Subjects > countSubjects; st.About {
		st.Logs = st.Subjects / 2
	} else {
		n, err := s.countLogs(ctx)
		if err != nil {
			return err
		}
		st.Logs = uint64(n)
	}
	stream := "OBJ_" + s.blobBucket()
	if err := of(stream, struct{}{}); err != nil {
		return err
	}
	if st.Blobs = (info.State.Subjects + 1) / 2; info.State.Subjects > countSubjects {
		st.About = true
		return nil
	}
	names := struct {
		Filter string `json:"subjects_filter"`
	}{"$O." + s.blobBucket() + ".M.>"}
	if err := of(stream, names); err != nil {
		return err
	}
	st.Blobs = uint64(len(info.State.Each))
	return nil
}

// countLogs counts the names that a listing has.
func (s *natsStore) countLogs(ctx context.Context) (int, error) {
	l, err := s.whole(ctx)
	if err != nil {
		return 0, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.names), nil
}

// checkSync refuses servers that do not sync each append.
func (s *natsStore) checkSync(ctx context.Context) error {
	if len(s.opt.monitor) == 0 {
		return fmt.Errorf("%w: only the server's monitoring tells when it syncs: sync=always needs monitor=HOST:PORT", ErrWeak)
	}
	mode, err := s.syncMode(ctx)
	if err != nil {
		return err
	}
	if mode != "always" {
		return fmt.Errorf("%w: %s syncs to disk %s, not before it acknowledges (sync_interval: always)", ErrWeak, s.where, mode)
	}
	return nil
}

// syncMode asks the monitoring of all servers, and returns the weakest answer.
func (s *natsStore) syncMode(ctx context.Context) (string, error) {
	var longest time.Duration
	for _, address := range s.opt.monitor {
		always, every, err := s.monitor(ctx, address)
		if err != nil {
			return "", fmt.Errorf("%w: monitoring at %s: %s", ErrAway, address, plainly(err))
		}
		if !always {
			longest = max(longest, every)
		}
	}
	if longest > 0 {
		return "every " + longest.String(), nil
	}
	return "always", nil
}

func (s *natsStore) monitor(ctx context.Context, address string) (always bool, every time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.opt.Timeout)
	defer cancel()
	if !strings.HasPrefix(address, "https://") {
		address = "http://" + strings.TrimPrefix(address, "http://")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/jsz", nil)
	if err != nil {
		return false, 0, err
	}
	web, err := s.monitorClient()
	if err != nil {
		return false, 0, err
	}
	defer web.CloseIdleConnections()
	reply, err := web.Do(request)
	if err != nil {
		return false, 0, err
	}
	defer func() { _ = reply.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(reply.Body, 1<<20))
	if err != nil {
		return false, 0, err
	}
	var answer struct {
		Config *struct {
			Interval int64 `json:"sync_interval"`
			Always   bool  `json:"sync_always"`
		} `json:"config"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return false, 0, err
	}
	if reply.StatusCode != http.StatusOK || answer.Config == nil {
		return false, 0, fmt.Errorf("it says %s and no configuration", reply.Status)
	}
	return answer.Config.Always, max(time.Duration(answer.Config.Interval), 1), nil
}

// Durability says in a line what an acknowledged append survives.
func (s *natsStore) Durability(ctx context.Context) (string, error) {
	st, err := s.Status(ctx)
	if err != nil {
		return "", err
	}
	return st.Durability(), nil
}
