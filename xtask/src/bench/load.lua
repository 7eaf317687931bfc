-- What wrk sends, and how it tells what came of it. All that varies comes in the environment.
--
-- Where the body holds a format, every request of a thread fills in another of its numbers, and no
-- two threads share a number: each request is a change, whichever comes last. Each number has three
-- decimals that count, so that all requests and answers are of one length. The requests of a thread
-- go to all paths in turn; there are fewer than half as many paths as numbers, so that a path gets
-- another number each time.
--
-- Where all requests are the same, wrk sends them without asking this script.

wrk.method = os.getenv("BENCH_METHOD")
wrk.headers[os.getenv("BENCH_HEADER")] = os.getenv("BENCH_TOKEN")

-- So many for each thread; all of them lie between 0 and 2, if there are at most four threads.
local NUMBERS = 250
local THREADS_MAX = 4
local threads = 0

function setup(thread)
    thread:set("thread_number", threads)
    threads = threads + 1
end

local body = os.getenv("BENCH_BODY")
if body then
    wrk.headers["Content-Type"] = "application/json"
end
local paths = {}
for path in io.lines(os.getenv("BENCH_PATHS")) do
    paths[#paths + 1] = path
end

if body or #paths > 1 then
    local requests = {}
    local sent = 0

    function init()
        -- The threads begin apart, so that they meet on a path as seldom as possible.
        local first = math.floor(thread_number * #paths / THREADS_MAX)
        for i = 0, NUMBERS - 1 do
            -- An odd number of thousandths has no shorter spelling.
            local thousandths = thread_number * 2 * NUMBERS + 2 * i + 1
            local path = paths[(first + i) % #paths + 1]
            local filled = body and string.format(body, thousandths / 1000)
            requests[i] = wrk.format(nil, path, nil, filled)
        end
    end

    function request()
        sent = sent + 1
        return requests[sent % NUMBERS]
    end
end

function done(summary, latency, requests)
    local errors = summary.errors
    io.write(string.format(
        '\n{"requests":%d,"micros":%d,"p50":%d,"p99":%d,' ..
            '"connect":%d,"read":%d,"write":%d,"timeout":%d,"status":%d}\n',
        summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
        errors.connect, errors.read, errors.write, errors.timeout, errors.status
    ))
end
