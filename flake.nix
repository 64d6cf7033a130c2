{
  description = "Valkyrie: a multi-threaded HTTP/2 and TLS server in C";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" ];
      forEach = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});

      # nixpkgs' wolfSSL with what the server needs; the flags mirror deps/prepare.sh.
      wolfsslFor = pkgs: pkgs.wolfssl.overrideAttrs (old: {
        configureFlags = [
          "--enable-tls13"
          "--enable-alpn"
          "--enable-sni"
          "--enable-session-ticket"
          "--enable-secure-renegotiation-info"
          "--enable-curve25519"
          "--enable-ed25519"
          "--enable-mlkem"
          "--disable-oldtls"
          "--disable-examples"
          "--disable-crypttests"
        ] ++ pkgs.lib.optionals pkgs.stdenv.hostPlatform.isx86_64 [
          "--enable-sp=2048,3072,4096,256,384"
          "--enable-sp-asm"
          "--enable-aesni"
          "--enable-intelasm"
        ];
        env = (old.env or { }) // {
          NIX_CFLAGS_COMPILE = "-DWOLFSSL_TLS13_MIDDLEBOX_COMPAT -DSMALL_SESSION_CACHE -DWOLFSSL_NO_DEF_TICKET_ENC_CB";
        };
        doCheck = false;
      });

      libraries = pkgs: [ (wolfsslFor pkgs) pkgs.nghttp2 pkgs.libev pkgs.libseccomp ];
      tools = pkgs: [ pkgs.pkg-config pkgs.scdoc ];
      testTools = pkgs: [ pkgs.cmocka pkgs.openssl pkgs.curl pkgs.nghttp2.bin pkgs.util-linux ];
      makeFlags = [ "WOLFSSL_PREFIX=system" "NGHTTP2_PREFIX=system" "CC=cc" ];
    in
    {
      packages = forEach (pkgs: {
        default = pkgs.stdenv.mkDerivation {
          pname = "valkyrie";
          version = "0.1.0";
          src = self;
          nativeBuildInputs = tools pkgs;
          buildInputs = libraries pkgs;
          inherit makeFlags;
          installFlags = [ "prefix=$(out)" ];
          enableParallelBuilding = true;
          meta = {
            description = "HTTP/2 and TLS server";
            license = pkgs.lib.licenses.gpl3Plus;
            mainProgram = "valkyrie";
            platforms = systems;
          };
        };
      });

      devShells = forEach (pkgs: {
        default = pkgs.mkShell {
          packages = tools pkgs ++ libraries pkgs ++ testTools pkgs ++ [ pkgs.clang-tools pkgs.cppcheck pkgs.valgrind ];
          WOLFSSL_PREFIX = "system";
          NGHTTP2_PREFIX = "system";
        };
      });

      checks = forEach (pkgs: {
        default = self.packages.${pkgs.stdenv.hostPlatform.system}.default.overrideAttrs (old: {
          nativeCheckInputs = testTools pkgs;
          doCheck = true;
          checkTarget = "test";
          checkFlags = makeFlags;
        });
      });
    };
}
