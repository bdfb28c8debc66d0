package wholefile

import (
	"os"
	"path/filepath"
	"testing"
)

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// TestWrite: content, permissions and links are kept, nothing else is left.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil || string(text) != "new" {
		t.Errorf("file holds %q, %v", text, err)
	}
	info, err := os.Lstat(file)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v", err)
	}
	if got := names(t, dir); len(got) != 2 {
		t.Errorf("left behind: %v", got)
	}
}

// TestRefusals leave nothing behind.
func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{dir, filepath.Join(dir, "no", "file")} {
		if err := Check(name); err == nil {
			t.Errorf("Check accepts %s", name)
		}
		if err := Write(name, nil); err == nil {
			t.Errorf("Write accepts %s", name)
		}
	}
	if err := Check(filepath.Join(dir, "fine")); err != nil {
		t.Error(err)
	}
	if err := Write(os.DevNull, []byte("x")); err != nil {
		t.Errorf("a device: %v", err)
	}
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("left behind: %v", got)
	}
}
