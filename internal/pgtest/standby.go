//go:build unix

package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/jackc/pgx/v5"
)

// Standby makes a server in dir that follows s, by name, and starts it. s must
// be running, and nothing may be written to it meanwhile. It needs none of the
// client programs: those of one version refuse servers of the next.
func (s *Server) Standby(dir, name string) (*Server, error) {
	if err := Own(dir); err != nil {
		return nil, fmt.Errorf("make standby: %w", err)
	}
	n := &Server{Dir: dir, ssl: s.ssl}
	if err := s.copyTo(n.data()); err != nil {
		return nil, fmt.Errorf("make standby: %w", err)
	}
	signal := filepath.Join(n.data(), "standby.signal")
	if err := os.WriteFile(signal, nil, 0o600); err != nil {
		return nil, err
	}
	if err := ownFile(signal); err != nil {
		return nil, err
	}
	if err := n.configure([]string{fmt.Sprintf(
		"primary_conninfo = 'host=127.0.0.1 port=%d user=%s password=''%s'' application_name=%s'", s.Port, User, Password, name)}); err != nil {
		return nil, err
	}
	return n, n.Start()
}

// copyTo copies the cluster while the server runs, as the manual's low level
// backup does ("Making a Base Backup Using the Low Level API").
func (s *Server) copyTo(data string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var version int
	if err := conn.QueryRow(ctx, "select current_setting('server_version_num')::int").Scan(&version); err != nil {
		return err
	}
	begin, end := "pg_backup_start('standby', true)", "pg_backup_stop(false)"
	if version < 150000 { // exclusive backups, which went, were the other kind
		begin, end = "pg_start_backup('standby', true, false)", "pg_stop_backup(false, false)"
	}
	if _, err := conn.Exec(ctx, "select "+begin); err != nil {
		return err
	}
	if err := copyTree(ctx, s.data(), data); err != nil {
		return err
	}
	var label string
	if err := conn.QueryRow(ctx, "select labelfile from "+end).Scan(&label); err != nil {
		return err
	}
	path := filepath.Join(data, "backup_label")
	return errors.Join(os.WriteFile(path, []byte(label), 0o600), ownFile(path))
}

// copyTree copies a cluster's directory but for what belongs to the running
// server, and for its log, which the copy asks for.
func copyTree(ctx context.Context, from, to string) error {
	args := unprivileged("cp", "-a", from, to)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = "/"
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("copy %q: %w: %s", from, err, bytes.TrimSpace(out))
	}
	gone := []string{filepath.Join(to, "postmaster.pid"), filepath.Join(to, "postmaster.opts")}
	for _, dir := range []string{"pg_wal", "pg_replslot"} {
		entries, err := os.ReadDir(filepath.Join(to, dir))
		if err != nil {
			return err
		}
		for _, e := range entries {
			if !e.IsDir() || dir == "pg_replslot" { // pg_wal/archive_status must be there
				gone = append(gone, filepath.Join(to, dir, e.Name()))
			}
		}
	}
	var err error
	for _, path := range gone {
		err = errors.Join(err, os.RemoveAll(path))
	}
	return err
}
