#!/bin/sh
# Measures ltc on this machine's GPU beside PyTorch and JAX. Flags are those of compare;
# without -o the page is printed.
at=$(cd "$(dirname "$0")" && pwd) || exit 1
case " $* " in
*" -o "*) ;;
*) set -- -o - "$@" ;;
esac
exec "$at/compare" -gpu -bench "$at/bench" -script "$at/peers.py" -scratch "$at/figures" "$@"
