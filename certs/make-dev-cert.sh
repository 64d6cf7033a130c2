#!/bin/sh
# Makes a self-signed certificate for local development, valid for localhost, 127.0.0.1 and ::1, unless a fitting one is
# there already. Usage: certs/make-dev-cert.sh [FOLDER]   (writes dev.crt and dev.key; neither is ever committed)
set -eu
folder=${1:-$(dirname "$0")}
days=365

if [ -f "$folder/dev.crt" ] && [ -f "$folder/dev.key" ] &&
	openssl x509 -in "$folder/dev.crt" -noout -checkend 604800 >/dev/null 2>&1; then
	exit 0
fi
mkdir -p "$folder"
# A private key is readable for its owner only, from its first byte on.
umask 077
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days "$days" \
	-subj "/CN=localhost" -addext "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1" \
	-addext "basicConstraints=critical,CA:FALSE" -addext "extendedKeyUsage=serverAuth" \
	-keyout "$folder/dev.key" -out "$folder/dev.crt" 2>/dev/null
chmod 644 "$folder/dev.crt"
echo "certs: made $folder/dev.crt and dev.key for localhost, valid $days days" >&2
