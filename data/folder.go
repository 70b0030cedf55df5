package data

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ImageFolder returns a loader of the images in the folders of dir, one folder for each class, and the names of the classes. It is
// like torchvision's ImageFolder, without nested folders, for PNG and JPEG. A batch has images[n, channels, height, width] of
// F32 and labels[n] of I32: each label is an index into classes. The transforms must give all images one size. They change all
// rows, also those that [Loader.Holdout] holds out: [Map] the loader of the others with random ones.
//
// An image is read when its batch is made. Loader.Err reports an unreadable folder, and one without images.
func ImageFolder(dir string, channels int, b Batches, all ...Transform) (images *Loader[Arrays], classes []string) {
	paths, labels, classes, err := listImages(dir)
	if err == nil {
		err = checkTransforms(all)
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
		path := filepath.Join(dir, folder.Name())
		info, err := os.Stat(path) // of what a link points to
		if err != nil {
			return nil, nil, nil, fmt.Errorf("data: image folder: %w", err)
		}
		if !info.IsDir() {
			continue
		}
		images, err := imagesOf(path)
		if err != nil {
			return nil, nil, nil, err
		}
		for _, name := range images {
			paths, labels = append(paths, name), append(labels, int32(len(classes)))
		}
		classes = append(classes, folder.Name())
	}
	if len(classes) == 0 {
		return nil, nil, nil, fmt.Errorf("data: image folder: there is no class/name.png, .jpg or .jpeg in %s", dir)
	}
	return paths, labels, classes, nil
}

// imagesOf returns the images in the folder of a class, by name: at least one.
func imagesOf(class string) (paths []string, err error) {
	files, err := os.ReadDir(class)
	if err != nil {
		return nil, fmt.Errorf("data: image folder: %w", err)
	}
	for _, f := range files {
		if ext := strings.ToLower(filepath.Ext(f.Name())); !f.IsDir() && slices.Contains([]string{".png", ".jpg", ".jpeg"}, ext) {
			paths = append(paths, filepath.Join(class, f.Name()))
		}
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("data: image folder: the class %s has no .png, .jpg or .jpeg: remove its folder or add images", class)
	}
	return paths, nil
}
