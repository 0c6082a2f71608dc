// Package queues tests the queues of a team on a cluster of its own.
package queues

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const patience = 30 * time.Second

// StartSluiceDev runs `sluice dev` until the test is over, and returns how clients reach it. Needs
// $SLUICE, or sluice on PATH.
func StartSluiceDev(t *testing.T, options ...string) *rest.Config {
	t.Helper()
	program := os.Getenv("SLUICE")
	if program == "" {
		program = "sluice"
	}
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	arguments := []string{"dev", "--quiet", "--port", "0", "--write-kubeconfig", kubeconfig}
	command := exec.Command(program, append(arguments, options...)...)
	command.Stderr = os.Stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			_ = command.Process.Kill()
			<-ended
		}
	})
	if err := waitForFile(kubeconfig, ended); err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	return config
}

// The kubeconfig is there when the cluster is ready.
func waitForFile(name string, ended chan error) error {
	deadline := time.After(patience)
	for {
		_, err := os.Stat(name)
		if !errors.Is(err, os.ErrNotExist) {
			return err
		}
		select {
		case err := <-ended:
			ended <- err
			return fmt.Errorf("sluice dev ended: %v", err)
		case <-deadline:
			return errors.New("sluice dev did not become ready")
		case <-time.After(10 * time.Millisecond):
		}
	}
}
