package data

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ImageFolder returns a loader of the images in the folders of dir, one folder for each class, and the names of the classes. It is
// torchvision's ImageFolder for PNG and JPEG. A batch has images[n, channels, height, width] of F32 and labels[n] of I32,
// the places of the classes' names in their order. The transforms leave images of one size.
//
// An image is read when its batch is made. An error of the folders is that of the loader.
func ImageFolder(dir string, channels int, b Batches, all ...Transform) (images *Loader[Arrays], classes []string) {
	paths, labels, classes, err := listImages(dir)
	for i, t := range all {
		if t == nil && err == nil {
			err = fmt.Errorf("data: image folder: transform %d is nil", i)
		}
	}
	if err != nil {
		return &Loader[Arrays]{err: err}, nil
	}
	b.Rows = len(paths)
	return &Loader[Arrays]{Batches: b, Load: func(b Batch) (Arrays, error) {
		x, err := stack(b, nil, all, func(i int) (Picture, error) { return ReadImageFile(paths[b.Rows[i]], channels) })
		if err != nil {
			return nil, err
		}
		var rows []int32
		for _, r := range b.Rows {
			rows = append(rows, labels[r])
		}
		y, err := ArrayOf(rows)
		return Arrays{x, y}, err
	}}, classes
}

// listImages returns the images below the folders of dir, by name, their labels, and the names of the folders.
func listImages(dir string) (paths []string, labels []int32, classes []string, err error) {
	folders, err := os.ReadDir(dir) // by name
	if err != nil {
		return nil, nil, nil, fmt.Errorf("data: image folder: %w", err)
	}
	for _, folder := range folders {
		if !folder.IsDir() {
			continue
		}
		files, err := os.ReadDir(filepath.Join(dir, folder.Name()))
		if err != nil {
			return nil, nil, nil, fmt.Errorf("data: image folder: %w", err)
		}
		for _, f := range files {
			if ext := strings.ToLower(filepath.Ext(f.Name())); !f.IsDir() && slices.Contains([]string{".png", ".jpg", ".jpeg"}, ext) {
				paths, labels = append(paths, filepath.Join(dir, folder.Name(), f.Name())), append(labels, int32(len(classes)))
			}
		}
		classes = append(classes, folder.Name())
	}
	if len(paths) == 0 {
		return nil, nil, nil, fmt.Errorf("data: image folder: there is no class/name.png, .jpg or .jpeg in %s", dir)
	}
	return paths, labels, classes, nil
}
