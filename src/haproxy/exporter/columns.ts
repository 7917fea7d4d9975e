/** Types of rows in HAProxy's statistics. Listeners have no metrics. */
export type RowType = 'frontend' | 'backend' | 'server';

export interface Column {
  /** The column's number in HAProxy's statistics, for ROUTER_METRICS_HAPROXY_EXPORTED. */
  readonly index: number;
  readonly column: string;
  /** The name after `haproxy_frontend_`, `haproxy_backend_` and `haproxy_server_`, as in openshift-router's exporter. */
  readonly metric: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly of: readonly RowType[];
  readonly code?: string;
}

const all: readonly RowType[] = ['frontend', 'backend', 'server'];
const behind: readonly RowType[] = ['backend', 'server'];

const gauge = (
  index: number,
  column: string,
  metric: string,
  of: readonly RowType[],
  help: string,
): Column => ({
  index,
  column,
  metric,
  help,
  of,
  type: 'gauge',
});
const counter = (
  index: number,
  column: string,
  metric: string,
  of: readonly RowType[],
  help: string,
): Column => ({ ...gauge(index, column, metric, of, help), type: 'counter' });

const responses = ['1xx', '2xx', '3xx', '4xx', '5xx', 'other'].map((code, place) => ({
  ...counter(39 + place, `hrsp_${code}`, 'http_responses_total', all, 'HTTP responses by status.'),
  code,
}));

export const columns: readonly Column[] = [
  gauge(2, 'qcur', 'current_queue', behind, 'Requests waiting for a connection.'),
  gauge(3, 'qmax', 'max_queue', behind, 'Maximum number of requests waiting for a connection.'),
  gauge(4, 'scur', 'current_sessions', all, 'Current sessions.'),
  gauge(5, 'smax', 'max_sessions', all, 'Maximum number of concurrent sessions.'),
  gauge(6, 'slim', 'limit_sessions', all, 'Limit on sessions.'),
  counter(7, 'stot', 'connections_total', behind, 'Connections.'),
  counter(8, 'bin', 'bytes_in_total', all, 'Bytes received.'),
  counter(9, 'bout', 'bytes_out_total', all, 'Bytes sent.'),
  counter(10, 'dreq', 'requests_denied_total', ['frontend'], 'Denied requests.'),
  counter(12, 'ereq', 'request_errors_total', ['frontend'], 'Requests with errors.'),
  counter(13, 'econ', 'connection_errors_total', behind, 'Failed connections.'),
  counter(14, 'eresp', 'response_errors_total', behind, 'Responses with errors.'),
  counter(15, 'wretr', 'retry_warnings_total', behind, 'Retried connections.'),
  counter(16, 'wredis', 'redispatch_warnings_total', behind, 'Requests redispatched to another server.'),
  gauge(17, 'status', 'up', behind, '1 if the server or backend accepts requests.'),
  gauge(18, 'weight', 'weight', behind, 'Weight of a server; for a backend the sum of its servers.'),
  counter(21, 'chkfail', 'check_failures_total', ['server'], 'Failed health checks.'),
  counter(24, 'downtime', 'downtime_seconds_total', ['server'], 'Seconds of downtime.'),
  gauge(33, 'rate', 'current_session_rate', all, 'New sessions in the last second.'),
  gauge(34, 'rate_lim', 'limit_session_rate', ['frontend'], 'Limit on new sessions per second.'),
  gauge(35, 'rate_max', 'max_session_rate', all, 'Maximum number of new sessions in one second.'),
  gauge(
    38,
    'check_duration',
    'check_duration_milliseconds',
    ['server'],
    'Duration of the last health check.',
  ),
  ...responses,
  counter(48, 'req_tot', 'http_requests_total', ['frontend'], 'HTTP requests.'),
  gauge(
    58,
    'qtime',
    'http_average_queue_latency_milliseconds',
    behind,
    'Mean wait for a connection over the last 1,024 requests.',
  ),
  gauge(
    59,
    'ctime',
    'http_average_connect_latency_milliseconds',
    behind,
    'Mean time to connect over the last 1,024 requests.',
  ),
  gauge(
    60,
    'rtime',
    'http_average_response_latency_milliseconds',
    behind,
    'Mean time to the response over the last 1,024 requests.',
  ),
  counter(79, 'conn_tot', 'connections_total', ['frontend'], 'Connections.'),
  counter(85, 'reuse', 'connections_reused_total', behind, 'Reused connections.'),
];

/** openshift-router's columns, which are the default. */
export const usualColumns: readonly number[] = [
  2, 4, 5, 7, 8, 9, 13, 14, 17, 21, 24, 33, 35, 39, 40, 41, 42, 43, 44, 58, 59, 60, 79, 85,
];
