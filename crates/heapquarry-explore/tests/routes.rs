//! The server as a browser meets it, and as attackers do.

mod common;

use common::{Running, status};
use heapquarry::{Cancel, ErrorKind, RunOptions, Source};
use heapquarry_explore::Server;
use heapquarry_query::Session;
use serde_json::{Value, json};
use std::{
    fs,
    io::{Read, Write},
    net::{Shutdown, TcpStream},
    path::PathBuf,
    time::Duration,
};

/// A heap with a class whose name is markup.
const HEAP: &str = r#"{"snapshot":{"meta":{
"node_fields":["type","name","id","self_size","edge_count"],
"node_types":[["hidden","array","string","object","code","closure","regexp","number","native","synthetic"],"string","number","number","number"],
"edge_fields":["type","name_or_index","to_node"],
"edge_types":[["context","element","property","internal","hidden","shortcut","weak"],"string_or_number","node"]},
"node_count":5,"edge_count":5},
"nodes":[9,0,1,0,1, 3,1,3,16,2, 3,2,5,24,1, 3,2,7,24,1, 2,3,9,4000,0],
"edges":[5,4,5, 2,5,10, 2,6,15, 2,7,20, 2,7,20],
"strings":["","Cart","a<img src=x onerror=alert(1)>","</script>","1","a","b","text"]}"#;

fn file(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).unwrap();
    path
}

/// A server with that heap.
fn start(name: &str, close_after: Option<Duration>) -> Running {
    of(name, HEAP, close_after)
}

fn of(name: &str, text: &str, close_after: Option<Duration>) -> Running {
    Running::with(Source::path(file(name, text)), close_after, |_| ())
}

#[test]
fn questions_have_answers() {
    let running = start("questions.heapsnapshot", None);
    let overview = running.json("overview");
    assert_eq!(overview["verb"], "summary");
    assert_eq!(overview["totals"]["node_count"], 5);
    assert_eq!(overview, running.json("overview"), "the second time");
    let classes = running.json("classes?filter=IMG&sort=count&ascending=true&top=5");
    assert_eq!(classes["classes"]["total"], 1);
    let class = &classes["classes"]["rows"][0];
    assert_eq!(
        (&class["class_name"], &class["count"]),
        (&json!("a<img src=x onerror=alert(1)>"), &json!(2))
    );
    let key = class["class_key"].as_str().unwrap();
    let query = serde_urlencoded::to_string([
        ("class", key),
        ("sort", "id"),
        ("ascending", "true"),
        ("offset", "1"),
    ])
    .unwrap();
    let objects = running.json(&format!("objects?{query}"));
    assert_eq!(objects["objects"]["total"], 2);
    assert_eq!(objects["objects"]["rows"].as_array().unwrap().len(), 1);
    assert_eq!(objects["objects"]["rows"][0]["id"], 7);
    let object = running.json("object?node=5");
    assert_eq!(object["object"]["shallow_size"], 24);
    let retainers = running.json("retainers?node=9");
    let ids: Vec<_> =
        retainers["retainers"]["rows"].as_array().unwrap().iter().map(|row| &row["id"]).collect();
    assert_eq!(ids, [5, 7]);
    let dominated = running.json("dominated?node=3");
    assert_eq!(dominated["object"]["dominated_count"], 3);
    assert_eq!(dominated["dominated"]["rows"][0]["id"], 9);
    assert_eq!(running.json("dominated")["object"]["id"], 1);
    let map = running.json("map?node=3");
    let boxes = map["boxes"].as_array().unwrap();
    let row = |row: &Value| [&row["above"], &row["id"]].map(Value::as_i64);
    let [of, largest] = [0, 1].map(|at| row(&boxes[at]));
    assert_eq!((boxes.len(), of, largest), (4, [None, Some(3)], [Some(0), Some(9)]));
    assert_eq!(running.json("map?top=2")["boxes"].as_array().unwrap().len(), 2);
    assert_eq!(running.json("allocated?node=3")["stack"]["total"], 0);
    assert_eq!(running.json("contained")["contained"]["rows"][0]["id"], 3);
    let contained = running.json("contained?node=3");
    assert_eq!(contained["object"]["id"], 3);
    assert_eq!(contained["contained"]["rows"][0]["edge"], "a");
    assert_eq!(contained["contained"]["rows"][0]["reference_count"], 1);
    let dominators = running.json("dominators?node=9");
    assert_eq!(dominators["dominators"]["rows"][0]["id"], 3);
    assert_eq!(running.json("why?node=9&shortest=true")["objects"][0]["object"]["id"], 9);
    let found = running.json("find?name=Cart&min_size=1&top=5");
    assert_eq!((&found["verb"], &found["objects"]["total"]), (&json!("find"), &json!(1)));
    assert_eq!(found["objects"]["rows"][0]["id"], 3);
    let texts = running.json("find?text=script&strings=true");
    assert_eq!(texts["strings"]["rows"][0]["string"], "</script>");
    assert!(running.json("holders")["verdict"].is_string());
    assert_eq!(running.json("owners?by=script")["by"], "script");
}

#[test]
fn wrong_questions_are_refused() {
    let running = start("wrong.heapsnapshot", None);
    for (question, expected) in [
        ("classes?top=1000", 200),
        ("classes?top=1001", 400),
        ("classes?top=-1", 400),
        ("classes?top=99999999999999999999", 400),
        ("classes?offset=18446744073709551615", 200),
        ("classes?sort=size", 400),
        ("classes?nosuch=1", 400),
        ("objects?class=nosuch", 404),
        ("object", 400),
        ("object?node=abc", 400),
        ("object?node=-1", 404),
        ("object?node=%00", 400),
        ("why?node=9&top=20", 200),
        ("why?node=9&top=21", 400),
        // The command can compare with another file. A page cannot name one.
        ("why?node=9&new_since=%2Fetc%2Fpasswd", 400),
        ("why?node=9&new_since=/etc/passwd", 400),
        ("object?node=9&class=Cart", 400),
        ("find?name=Cart&new_since=/etc/passwd", 400),
        ("find?regex=(", 400),
        ("find?top=1001", 400),
        ("owners?by=file", 400),
        ("holders?file=/etc/passwd", 400),
        ("contained?node=-1", 404),
        ("contained?file=/etc/passwd", 400),
        ("growth?file=/etc/passwd", 400),
        ("growth", 404),
    ] {
        let (status, json) = running.api(question);
        assert_eq!(status, expected, "{question}: {json}");
        assert_eq!(json["error"].is_string(), expected != 200, "{question}: {json}");
    }
}

#[test]
fn only_the_page_is_served() {
    let running = start("served.heapsnapshot", None);
    let (port, token) = (running.port, running.token.as_str());
    let page = format!("/{token}/");
    let other = format!("/{}/", "0".repeat(token.len()));
    let own = format!("127.0.0.1:{port}");
    let request = |method: &str, path: &str, host: &str, more: &str| {
        running.send(&format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n"))
    };
    for (method, path, host, more, expected) in [
        ("GET", page.as_str(), own.as_str(), "", 200),
        ("GET", &page, "localhost:1", "", 200),
        ("GET", &page, "[::1]:1", "Sec-Fetch-Site: none\r\n", 200),
        ("GET", &page, &own, &format!("Origin: http://{own}\r\n"), 200),
        // Another host, as after DNS rebinding.
        ("GET", &page, "evil.example", "", 403),
        ("GET", &page, &format!("evil.example:{port}"), "", 403),
        ("GET", &page, "127.0.0.1.evil.example", "", 403),
        // Another origin.
        ("GET", &page, &own, "Origin: http://evil.example\r\n", 403),
        ("GET", &page, &own, "Origin: http://127.0.0.1:1\r\n", 403),
        ("GET", &page, &own, "Origin: null\r\n", 403),
        ("GET", &page, &own, "Sec-Fetch-Site: cross-site\r\n", 403),
        ("GET", &page, &own, "Sec-Fetch-Site: same-site\r\n", 403),
        // Other methods.
        ("POST", &page, &own, "Content-Length: 5\r\n\r\nhello", 403),
        ("PUT", &page, &own, "", 405),
        ("DELETE", &page, &own, "", 405),
        ("HEAD", &page, &own, "", 405),
        ("OPTIONS", &page, &own, "Access-Control-Request-Method: GET\r\n", 405),
        // Without the token.
        ("GET", "/", &own, "", 404),
        ("GET", "/favicon.ico", &own, "", 404),
        ("GET", "/api/status", &own, "", 404),
        ("GET", &other, &own, "", 404),
        ("GET", &format!("{other}api/status"), &own, "", 404),
        ("GET", &format!("/{token}"), &own, "", 404),
        ("GET", &format!("/{}/", &token[1..]), &own, "", 404),
        ("GET", &format!("/{token}{token}/"), &own, "", 404),
        // Nothing but the parts of the page.
        ("GET", &format!("{page}main.js"), &own, "", 200),
        ("GET", &format!("{page}MAIN.JS"), &own, "", 404),
        ("GET", &format!("{page}../main.js"), &own, "", 404),
        ("GET", &format!("{page}%2e%2e/main.js"), &own, "", 404),
        ("GET", &format!("{page}./main.js"), &own, "", 404),
        ("GET", &format!("{page}/main.js"), &own, "", 404),
        ("GET", &format!("/{page}"), &own, "", 404),
        ("GET", &format!("{page}..\\..\\Cargo.toml"), &own, "", 404),
        ("GET", &format!("{page}%2fetc%2fpasswd"), &own, "", 404),
        ("GET", &format!("{page}/etc/passwd"), &own, "", 404),
        ("GET", &format!("{page}main.js?raw??"), &own, "", 200),
        ("GET", &format!("{page}main.js%00"), &own, "", 404),
        ("GET", &format!("{page}api/"), &own, "", 404),
        ("GET", &format!("{page}api/../main.js"), &own, "", 404),
        ("GET", &format!("{page}api/nosuch"), &own, "", 404),
        // No requests.
        ("GET", "http://127.0.0.1/", &own, "", 400),
        ("GET", "*", &own, "", 400),
        ("GET", &page, &own, "Host: evil.example\r\n", 400),
        ("GET", &page, &own, "No colon\r\n", 400),
        ("GET", &page, &own, &format!("X: {}\r\n", "x".repeat(20_000)), 431),
    ] {
        let answer = request(method, path, host, more);
        assert_eq!(status(&answer), expected, "{method} {path} {host} {more:.80}");
        let lower = answer.to_lowercase();
        assert!(!lower.contains("access-control"), "{answer}");
        assert!(lower.contains("content-security-policy: default-src 'none';"), "{answer}");
        assert!(lower.contains("x-content-type-options: nosniff"), "{answer}");
        if expected >= 400 && !path.contains("/api/") {
            // Who may not ask learns nothing, above all not the token.
            assert!(answer.ends_with("Content-Length: 0\r\n\r\n"), "{answer}");
        }
        if expected >= 400 {
            assert!(!answer.contains(token), "{answer}");
        }
    }
    for broken in ["\u{16}\u{3}\u{1}\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"] {
        assert_eq!(status(&running.send(broken)), 400, "{broken:?}");
    }
    // It is still there.
    assert_eq!(
        running.json("status"),
        json!({ "stage": "ready", "kind": "heap", "has_profile": false, "is_series": false })
    );
}

#[test]
fn a_ticket_is_good_once() {
    let running = start("ticket.heapsnapshot", None);
    let path = running.once.split_at(running.once.rfind('/').unwrap()).1;
    let first = running.get(path);
    assert_eq!(status(&first), 303);
    assert!(first.contains(&format!("\r\nLocation: /{}/\r\n", running.token)), "{first}");
    assert_eq!(status(&running.get(path)), 404);
}

#[test]
fn it_ends_with_its_last_page() {
    let mut running = start("pages.heapsnapshot", Some(Duration::ZERO));
    let open = || {
        let mut stream = TcpStream::connect(("127.0.0.1", running.port)).unwrap();
        let (token, port) = (&running.token, running.port);
        write!(stream, "GET /{token}/api/alive HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n")
            .unwrap();
        let mut start = [0; 12];
        stream.read_exact(&mut start).unwrap();
        assert_eq!(&start, b"HTTP/1.1 200");
        stream
    };
    let (first, second) = (open(), open());
    first.shutdown(Shutdown::Both).unwrap();
    assert_eq!(running.json("status")["stage"], "ready", "a page is left");
    second.shutdown(Shutdown::Both).unwrap();
    assert!(running.ended().is_ok());
}

#[test]
fn an_interrupt_ends_it() {
    let mut running = start("interrupt.heapsnapshot", None);
    running.cancel.cancel();
    let error = running.ended().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Cancelled), "{error}");
}

/// A profile with samples, whose functions have markup for names.
const PROFILE: &str = r#"{"nodes":[
{"id":1,"callFrame":{"functionName":"(root)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},"children":[2,3]},
{"id":2,"callFrame":{"functionName":"<img src=x>","scriptId":"1","url":"file:///a/</script>.js","lineNumber":1,"columnNumber":2},"children":[4]},
{"id":3,"callFrame":{"functionName":"(idle)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1}},
{"id":4,"callFrame":{"functionName":"inner","scriptId":"2","url":"file:///a/node_modules/pack/i.js","lineNumber":1,"columnNumber":2}}],
"startTime":0,"endTime":100,"samples":[2,4,3,4],"timeDeltas":[0,10,20,30]}"#;

#[test]
fn questions_about_a_profile_have_answers() {
    let running = of("questions.cpuprofile", PROFILE, None);
    let ready =
        json!({ "stage": "ready", "kind": "profile", "has_profile": true, "is_series": false });
    assert_eq!(running.json("status"), ready);
    assert_eq!(running.json("overview")["kind"], "profile");
    let functions = running.json("functions?sort=total&filter=IMG");
    assert_eq!(functions["functions"]["total"], 1);
    let row = &functions["functions"]["rows"][0];
    assert_eq!(row["function_name"], "<img src=x>");
    let number = &row["function"];
    let function = running.json(&format!("function?function={number}"));
    assert_eq!(function["function"], *row);
    assert_eq!(function["callees"]["rows"][0]["function_name"], "inner");
    let calls = running.json("calls");
    assert_eq!(calls["calls"]["rows"][0]["call"], 1);
    assert_eq!(running.json("calls?call=1")["calls"]["rows"][0]["function_name"], "inner");
    let callers = running.json("callers");
    let inner = callers["callers"]["rows"].as_array().unwrap();
    let inner = &inner.iter().find(|row| row["function_name"] == "inner").unwrap()["function"];
    let above = running.json(&format!("callers?way={inner}"));
    assert_eq!(above["callers"]["rows"][0]["function"], *number);
    assert_eq!(running.json("flame?width=100")["boxes"]["call"], json!([0, 1, 2]));
    let chart = running.json("chart");
    assert_eq!(chart["threads"][0]["sample_count"], 4);
    let part = running.json("functions?from=0&to=15");
    assert!(part["functions"]["total"].as_u64().unwrap() >= 1);
    let packages = running.json("packages");
    let names = packages["packages"]["rows"].as_array().unwrap();
    assert!(names.iter().any(|row| row["package"] == "pack"), "{packages}");
}

#[test]
fn wrong_questions_about_a_profile_are_refused() {
    let running = of("wrong.cpuprofile", PROFILE, None);
    for (question, expected) in [
        ("functions?sort=size", 400),
        ("functions?top=1001", 400),
        ("functions?file=/etc/passwd", 400),
        ("functions?thread=3&from=0", 404),
        ("functions?from=-9223372036854775808&to=9223372036854775807", 200),
        ("functions?from=9&to=1", 200),
        ("function", 400),
        ("function?function=99", 404),
        ("function?function=-1", 400),
        ("calls?call=99", 404),
        ("callers?way=1,,2", 200),
        ("callers?way=1;2", 400),
        ("callers?way=99", 404),
        ("flame?width=0", 400),
        ("flame?width=16385", 400),
        ("flame?call=4294967295", 404),
        ("chart?thread=18446744073709551615", 404),
        ("chart?from=5&to=5&width=1", 200),
        ("chart?from=-9223372036854775808&to=9223372036854775807", 200),
    ] {
        let (status, json) = running.api(question);
        assert_eq!(status, expected, "{question}: {json}");
        assert_eq!(json["error"].is_string(), expected != 200, "{question}: {json}");
    }
    // What is asked of other kinds of inputs.
    for question in ["classes", "object?node=1", "tracks", "slice?slice=1"] {
        let answer = running.get(&format!("/{}/api/{question}", running.token));
        assert_eq!(status(&answer), 404, "{question}");
    }
}

/// A trace whose names are markup.
const TRACE: &str = r#"{"traceEvents":[
{"ph":"X","name":"<img src=x>","cat":"a","pid":1,"tid":1,"ts":1000,"dur":60000,"args":{"path":"</script>"}},
{"ph":"X","name":"inner","cat":"a","pid":1,"tid":1,"ts":2000,"dur":3000},
{"ph":"C","name":"heap","pid":1,"ts":1000,"args":{"used":10}},
{"ph":"i","name":"mark","s":"t","pid":1,"tid":1,"ts":50000}
]}"#;

#[test]
fn questions_about_a_trace_have_answers() {
    let running = of("questions.trace.json", TRACE, None);
    let ready =
        json!({ "stage": "ready", "kind": "trace", "has_profile": false, "is_series": false });
    assert_eq!(running.json("status"), ready);
    assert_eq!(running.json("overview")["kind"], "trace");
    let tracks = running.json("tracks");
    let kinds: Vec<_> =
        tracks["tracks"].as_array().unwrap().iter().map(|track| &track["kind"]).collect();
    assert_eq!(kinds, ["slices", "instants", "counter"]);
    let drawn = running.json("drawn?tracks=0,2&width=1000");
    assert_eq!(drawn["tracks"][0]["boxes"]["slice"], json!([0, 1]));
    assert_eq!(drawn["tracks"][1]["values"]["last"], json!([10]));
    assert_eq!(drawn["names"][0], "<img src=x>");
    let slice = running.json("slice?slice=0");
    assert_eq!(slice["slice"]["duration_ns"], 60_000_000);
    assert_eq!(slice["slice"]["self_time_ns"], 57_000_000);
    assert_eq!(slice["children"]["rows"][0]["name"], "inner");
    let arguments = running.json("arguments?slice=0")["arguments"].as_str().unwrap().to_string();
    assert_eq!(arguments, r#"{"path":"</script>"}"#);
    assert_eq!(running.json("area?from=500000&to=2000000")["slices"]["rows"][0]["name"], "inner");
    assert_eq!(running.json("find?text=IMG")["slices"]["total"], 1);
    assert_eq!(running.json("long_tasks")["tasks"]["rows"][0]["over_ns"], 10_000_000);
}

#[test]
fn wrong_questions_about_a_trace_are_refused() {
    let running = of("wrong.trace.json", TRACE, None);
    for (question, expected) in [
        ("tracks?file=/etc/passwd", 400),
        ("drawn?tracks=0&file=/etc/passwd", 400),
        ("drawn?tracks=9", 404),
        ("drawn?tracks=x", 400),
        ("drawn?tracks=0&width=0", 400),
        ("drawn?tracks=0,1,2&from=-9223372036854775808&to=9223372036854775807", 200),
        ("drawn?tracks=0&from=5&to=1", 200),
        ("drawn", 200),
        ("slice", 400),
        ("slice?slice=-1", 400),
        ("slice?slice=99", 404),
        ("slice?slice=18446744073709551615", 404),
        ("arguments?slice=99", 404),
        ("arguments?slice=0&path=/etc/passwd", 400),
        ("area?from=9223372036854775807&to=-9223372036854775808", 200),
        ("area?tracks=99", 200),
        ("area?top=1001", 400),
        ("find?text=%00", 200),
        ("find?text=a&regex=1", 400),
        ("long_tasks?offset=18446744073709551615", 200),
    ] {
        let (status, json) = running.api(question);
        assert_eq!(status, expected, "{question}: {json}");
        assert_eq!(json["error"].is_string(), expected != 200, "{question}: {json}");
    }
    for question in ["classes", "functions", "flame"] {
        let answer = running.get(&format!("/{}/api/{question}", running.token));
        assert_eq!(status(&answer), 404, "{question}");
    }
}

#[test]
fn questions_of_every_kind_need_the_token_and_the_page() {
    for (name, text, questions) in [
        ("attack.cpuprofile", PROFILE, &["functions", "calls", "flame", "chart", "packages"][..]),
        (
            "attack.trace.json",
            TRACE,
            &["tracks", "drawn?tracks=0", "slice?slice=0", "arguments?slice=0", "find"],
        ),
    ] {
        let running = of(name, text, None);
        let (port, token) = (running.port, &running.token);
        for question in questions {
            let own = format!("Host: 127.0.0.1:{port}\r\n");
            for (method, path, head, expected) in [
                ("GET", format!("/{token}/api/{question}"), own.clone(), 200),
                ("GET", format!("/api/{question}"), own.clone(), 404),
                ("GET", format!("/{}/api/{question}", "0".repeat(token.len())), own.clone(), 404),
                ("GET", format!("/{token}/api/{question}"), "Host: evil.example\r\n".into(), 403),
                (
                    "GET",
                    format!("/{token}/api/{question}"),
                    format!("{own}Origin: http://evil.example\r\n"),
                    403,
                ),
                (
                    "GET",
                    format!("/{token}/api/{question}"),
                    format!("{own}Sec-Fetch-Site: cross-site\r\n"),
                    403,
                ),
                ("POST", format!("/{token}/api/{question}"), own.clone(), 403),
                ("OPTIONS", format!("/{token}/api/{question}"), own.clone(), 405),
            ] {
                let answer = running.send(&format!("{method} {path} HTTP/1.1\r\n{head}\r\n"));
                assert_eq!(status(&answer), expected, "{method} {path} {head}");
                assert!(!answer.to_lowercase().contains("access-control"), "{answer}");
            }
        }
    }
}

#[test]
fn what_cannot_be_read_ends_it() {
    for (name, text) in [("no.txt", "nothing"), ("no.json", "{}")] {
        let server = Server::bind(0).unwrap();
        let session = Session::new([Source::path(file(name, text))], &RunOptions::default());
        let begun = |_: &_| panic!("nothing is shown of {name}");
        let error = server.run(session, None, &Cancel::new(), begun).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Unknown { .. }), "{name}: {error}");
    }
}
