# Builds a server of S3 in this folder.
export GOBIN="$PWD"
go install -ldflags=-s github.com/versity/versitygw/cmd/versitygw@v1.8.0
