// Calls methods through JSON-RPC libraries: one call per line of standard input, one outcome per line of output.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"os"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/jhttp"
	"github.com/ybbus/jsonrpc/v3"
)

type failure struct {
	Code    int    `json:"code,omitempty"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

type outcome struct {
	Result any      `json:"result,omitempty"`
	Error  *failure `json:"error,omitempty"`
}

// call calls a method; params are nil if there are none.
type call func(method string, params map[string]any) outcome

var authorization = "Bearer " + os.Getenv("FOLDGATE_KEY")

func ybbus(allowUnknownFields bool) call {
	client := jsonrpc.NewClientWithOpts(os.Getenv("FOLDGATE_URL"), &jsonrpc.RPCClientOpts{
		CustomHeaders:      map[string]string{"Authorization": authorization},
		AllowUnknownFields: allowUnknownFields,
	})
	return func(method string, params map[string]any) outcome {
		var given []any
		if params != nil {
			given = append(given, params)
		}
		answer, err := client.Call(context.Background(), method, given...)
		if err != nil {
			return outcome{Error: &failure{Message: err.Error()}}
		}
		if answer.Error != nil {
			return outcome{Error: &failure{answer.Error.Code, answer.Error.Message, answer.Error.Data}}
		}
		return outcome{Result: answer.Result}
	}
}

// withKey is an HTTP client that sends the key.
type withKey struct{}

func (withKey) Do(request *http.Request) (*http.Response, error) {
	request.Header.Set("Authorization", authorization)
	return http.DefaultClient.Do(request)
}

func creachadair() call {
	channel := jhttp.NewChannel(os.Getenv("FOLDGATE_URL"), &jhttp.ChannelOptions{Client: withKey{}})
	client := jrpc2.NewClient(channel, nil)
	return func(method string, params map[string]any) outcome {
		var given any
		if params != nil {
			given = params
		}
		var result any
		err := client.CallResult(context.Background(), method, given, &result)
		if refused, ok := err.(*jrpc2.Error); ok {
			return outcome{Error: &failure{int(refused.Code), refused.Message, refused.Data}}
		}
		if err != nil {
			return outcome{Error: &failure{Message: err.Error()}}
		}
		return outcome{Result: result}
	}
}

func main() {
	libraries := map[string]func() call{
		"ybbus":        func() call { return ybbus(true) },
		"ybbus-strict": func() call { return ybbus(false) },
		"jrpc2":        creachadair,
	}
	call := libraries[os.Args[1]]()
	lines := bufio.NewScanner(os.Stdin)
	output := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked struct {
			Method string
			Params map[string]any
		}
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		if err := output.Encode(call(asked.Method, asked.Params)); err != nil {
			panic(err)
		}
	}
}
