# Runs a throw-away PostgreSQL for as long as standard input stays open.
#
# Arguments: the folder of the server programs, `durable` or `fast` for what a commit shall be, a
# folder with files for the data folder or nothing, then the ports to try. Prints `ready PORT LOG` or `failed WHY`. The
# parent process holds the other end of standard input; however it ends, the pipe closes, the server is stopped and its
# folder removed.
set -u
umask 077
# An interrupt is meant for the one who started us. TERM ends the wait below.
trap '' INT HUP PIPE
trap : TERM

programs=$1
commits=$2
files=$3
shift 3

home=$(mktemp -d "${TMPDIR:-/tmp}/botyard-postgres.XXXXXX" 2>/dev/null) ||
    home=$(mktemp -d /tmp/botyard-postgres.XXXXXX) || {
    echo "failed: no folder for temporary files can be written"
    exit 1
}
data=$home/data
log=$home/postgres.log

# The last lines of the log as one.
why() {
    tail -n 4 "$log" | tr '\n\t' '  '
}

start() {
    "$programs/initdb" -D "$data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync \
        >"$log" 2>&1 || {
        echo "failed: initdb: $(why)"
        return
    }
    # No socket, only the loopback address.
    cat >>"$data/postgresql.conf" <<SETTINGS
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
# Every server under test holds up to some twenty, and so does the test that started it.
max_connections = 1000
include_if_exists 'more.conf'
SETTINGS
    [ -z "$files" ] || cp "$files"/* "$data"/ 2>>"$log" || {
        echo "failed: cp: $(why)"
        return
    }
    # The data outlives nobody: nothing need be durable, unless that is what is to be measured.
    [ "$commits" = durable ] || cat >>"$data/postgresql.conf" <<SETTINGS
fsync = off
synchronous_commit = off
full_page_writes = off
SETTINGS
    for port in "$@"; do
        "$programs/postgres" -D "$data" -p "$port" </dev/null >"$log" 2>&1 &
        server=$!
        if is_ready; then
            echo "ready $port $log"
            read -r _
            stop
            return
        fi
    done
    echo "failed: postgres: $(why)"
}

# Waits until the server takes connections (it says so in its pid file) or has ended.
is_ready() {
    tenths=0
    while kill -0 "$server" 2>/dev/null; do
        grep -q '^ready' "$data/postmaster.pid" 2>/dev/null && return
        [ $tenths -lt 600 ] || kill -KILL "$server"
        sleep 0.1
        tenths=$((tenths + 1))
    done
    return 1
}

# The fastest stop that leaves nothing behind: nobody needs the data any more.
stop() {
    "$programs/pg_ctl" stop -D "$data" -m immediate -w -t 60 >>"$log" 2>&1 ||
        kill -KILL "$server" 2>/dev/null
    wait
}

start "$@"
rm -rf "$home"
