#!/bin/sh
# Makes the certificates and keys the tests use, once. Usage: make-certificates.sh FOLDER
set -eu
folder=$1
[ -f "$folder/complete" ] && exit 0
mkdir -p "$folder"
cd "$folder"

self_signed() { # name, key options...
	name=$1
	shift
	openssl req -x509 -nodes -days 30 -subj "/CN=localhost" -addext "subjectAltName=DNS:localhost,IP:127.0.0.1" \
		-newkey "$@" -keyout "$name.key" -out "$name.crt" 2>/dev/null
}
self_signed ec256 ec -pkeyopt ec_paramgen_curve:P-256
self_signed ec256b ec -pkeyopt ec_paramgen_curve:P-256
self_signed ec384 ec -pkeyopt ec_paramgen_curve:P-384
self_signed ec521 ec -pkeyopt ec_paramgen_curve:P-521
self_signed rsa1024 rsa:1024
self_signed rsa2048 rsa:2048
self_signed rsa3072 rsa:3072
self_signed rsa4096 rsa:4096
self_signed ed25519 ed25519

# A leaf signed by an intermediate signed by a root.
openssl req -x509 -nodes -days 30 -subj "/CN=test root" -newkey ec -pkeyopt ec_paramgen_curve:P-256 \
	-addext "basicConstraints=critical,CA:TRUE" -keyout root.key -out root.crt 2>/dev/null
printf 'basicConstraints=critical,CA:TRUE\n' >ca.ext
printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\n' >leaf.ext
openssl req -nodes -subj "/CN=test intermediate" -newkey ec -pkeyopt ec_paramgen_curve:P-256 -keyout middle.key -out middle.csr 2>/dev/null
openssl x509 -req -in middle.csr -CA root.crt -CAkey root.key -CAcreateserial -days 30 -extfile ca.ext -out middle.crt 2>/dev/null
openssl req -nodes -subj "/CN=localhost" -newkey ec -pkeyopt ec_paramgen_curve:P-256 -keyout chain.key -out chain.csr 2>/dev/null
openssl x509 -req -in chain.csr -CA middle.crt -CAkey middle.key -CAcreateserial -days 30 -extfile leaf.ext -out leaf.crt 2>/dev/null
cat leaf.crt middle.crt >chain.crt

# What a server must refuse.
openssl pkey -in ec256.key -aes256 -passout pass:secret -out encrypted.key
openssl ec -in ec256.key -aes256 -passout pass:secret -out encrypted-old.key 2>/dev/null
openssl ec -in ec256.key -out sec1.key 2>/dev/null
openssl x509 -in ec256.crt -outform der -out der.crt
head -c 200 ec256.crt >cut.crt
printf -- '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n' >garbage.crt
printf -- '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n' >garbage.key
: >empty.crt
touch complete
