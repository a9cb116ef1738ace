//! Calls methods through a JSON-RPC library: one call per line of standard input, one outcome per line of output.

use std::{env, fmt, io};

use jsonrpc::{Client, Error, Request, Response, Transport};
use serde_json::{from_slice, from_str, json, value::to_raw_value, Value};

/// A transport that sends a key. Those of the library send a user name and a password only.
struct WithKey {
    url: String,
    authorization: String,
}

impl WithKey {
    fn post(&self, body: Vec<u8>) -> Result<Vec<u8>, Error> {
        let request = bitreq::post(self.url.as_str())
            .with_header("Authorization", &self.authorization)
            .with_body(body);
        let answer = request.send().map_err(|cause| Error::Transport(Box::new(cause)))?;
        Ok(answer.into_bytes())
    }
}

impl Transport for WithKey {
    fn send_request(&self, request: Request) -> Result<Response, Error> {
        Ok(from_slice(&self.post(serde_json::to_vec(&request)?)?)?)
    }

    fn send_batch(&self, requests: &[Request]) -> Result<Vec<Response>, Error> {
        Ok(from_slice(&self.post(serde_json::to_vec(requests)?)?)?)
    }

    fn fmt_target(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "{}", self.url)
    }
}

fn main() {
    let given = |name: &str| env::var(name).expect(name);
    let (url, key) = (given("FOLDGATE_URL"), given("FOLDGATE_KEY"));
    let client = match env::args().nth(1).as_deref() {
        Some("simple-http") => Client::simple_http(&url, Some("user".into()), Some(key)).expect("a URL"),
        _ => Client::with_transport(WithKey { url, authorization: format!("Bearer {key}") }),
    };
    for line in io::stdin().lines() {
        let asked: Value = from_str(&line.expect("a line")).expect("a call");
        let params = asked.get("params").map(|params| to_raw_value(params).expect("params"));
        let method = asked["method"].as_str().expect("a method");
        let outcome = match client.call::<Value>(method, params.as_deref()) {
            Ok(result) => json!({ "result": result }),
            Err(Error::Rpc(error)) => json!({ "error": error }),
            Err(error) => json!({ "error": { "message": error.to_string() } }),
        };
        println!("{outcome}");
    }
}
