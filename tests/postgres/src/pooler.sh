# Runs a throw-away PgBouncer for as long as standard input stays open.
#
# Arguments: the program, the port of the server, how many sessions each database gets, then the ports to try. Prints
# `ready PORT` or `failed WHY`. The parent process holds the other end of standard input; however it ends, the pipe
# closes, the pooler ends and its folder is removed.
set -u
umask 077
trap '' INT HUP PIPE
trap : TERM

program=$1
server=$2
sessions=$3
shift 3

home=$(mktemp -d "${TMPDIR:-/tmp}/botyard-pgbouncer.XXXXXX" 2>/dev/null) ||
    home=$(mktemp -d /tmp/botyard-pgbouncer.XXXXXX) || {
    echo "failed: no folder for temporary files can be written"
    exit 1
}
log=$home/log

start() {
    for port in "$@"; do
        cat >"$home/pgbouncer.ini" <<SETTINGS
[databases]
* = host=127.0.0.1 port=$server user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $port
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = $sessions
max_client_conn = 2000
# Idle sessions are closed soon, because they would keep a test's database from being dropped.
server_idle_timeout = 5
query_wait_timeout = 20
server_login_retry = 1
SETTINGS
        "$program" "$home/pgbouncer.ini" </dev/null >"$log" 2>&1 &
        pooler=$!
        if is_ready; then
            echo "ready $port"
            read -r _
            kill "$pooler"
            wait
            return
        fi
    done
    echo "failed: $(tail -n 4 "$log" | tr '\n\t' '  ')"
}

# Waits until the pooler says that it is there, or has ended.
is_ready() {
    tenths=0
    while kill -0 "$pooler" 2>/dev/null; do
        grep -q 'process up' "$log" && return
        [ $tenths -lt 600 ] || kill -KILL "$pooler"
        sleep 0.1
        tenths=$((tenths + 1))
    done
    return 1
}

start "$@"
rm -rf "$home"
