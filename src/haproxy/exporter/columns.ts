/** The kinds of rows in HAProxy's statistics. Listeners have no metrics. */
export type RowType = 'frontend' | 'backend' | 'server';

export interface Column {
  /** Its column number in HAProxy's statistics, which ROUTER_METRICS_HAPROXY_EXPORTED selects. */
  readonly index: number;
  readonly column: string;
  /** After `haproxy_frontend_`, `haproxy_backend_` and `haproxy_server_`: the names of openshift-router's exporter. */
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
  ...counter(39 + place, `hrsp_${code}`, 'http_responses_total', all, 'HTTP responses, by their status.'),
  code,
}));

export const columns: readonly Column[] = [
  gauge(2, 'qcur', 'current_queue', behind, 'Requests that wait for a connection.'),
  gauge(3, 'qmax', 'max_queue', behind, 'The most requests that waited for a connection.'),
  gauge(4, 'scur', 'current_sessions', all, 'Sessions now.'),
  gauge(5, 'smax', 'max_sessions', all, 'The most sessions at a time.'),
  gauge(6, 'slim', 'limit_sessions', all, 'How many sessions are allowed.'),
  counter(7, 'stot', 'connections_total', behind, 'Connections.'),
  counter(8, 'bin', 'bytes_in_total', all, 'Bytes that came in.'),
  counter(9, 'bout', 'bytes_out_total', all, 'Bytes that went out.'),
  counter(10, 'dreq', 'requests_denied_total', ['frontend'], 'Requests that were denied.'),
  counter(12, 'ereq', 'request_errors_total', ['frontend'], 'Requests with errors.'),
  counter(13, 'econ', 'connection_errors_total', behind, 'Connections that failed.'),
  counter(14, 'eresp', 'response_errors_total', behind, 'Responses with errors.'),
  counter(15, 'wretr', 'retry_warnings_total', behind, 'Connections that were tried again.'),
  counter(16, 'wredis', 'redispatch_warnings_total', behind, 'Requests that were sent to another server.'),
  gauge(17, 'status', 'up', behind, '1 while it takes requests.'),
  gauge(18, 'weight', 'weight', behind, 'Its weight, of a backend that of all servers.'),
  counter(21, 'chkfail', 'check_failures_total', ['server'], 'Health checks that failed.'),
  counter(24, 'downtime', 'downtime_seconds_total', ['server'], 'Seconds that it was down.'),
  gauge(33, 'rate', 'current_session_rate', all, 'New sessions in the last second.'),
  gauge(34, 'rate_lim', 'limit_session_rate', ['frontend'], 'How many new sessions a second are allowed.'),
  gauge(35, 'rate_max', 'max_session_rate', all, 'The most new sessions in a second.'),
  gauge(
    38,
    'check_duration',
    'check_duration_milliseconds',
    ['server'],
    'How long the last health check took.',
  ),
  ...responses,
  counter(48, 'req_tot', 'http_requests_total', ['frontend'], 'HTTP requests.'),
  gauge(
    58,
    'qtime',
    'http_average_queue_latency_milliseconds',
    behind,
    'Wait for a connection, the mean of the last 1,024 requests.',
  ),
  gauge(
    59,
    'ctime',
    'http_average_connect_latency_milliseconds',
    behind,
    'Time to connect, the mean of the last 1,024 requests.',
  ),
  gauge(
    60,
    'rtime',
    'http_average_response_latency_milliseconds',
    behind,
    'Time to the response, the mean of the last 1,024 requests.',
  ),
  counter(79, 'conn_tot', 'connections_total', ['frontend'], 'Connections.'),
  counter(85, 'reuse', 'connections_reused_total', behind, 'Connections that were used again.'),
];

/** openshift-router's columns, unless others are requested. */
export const usualColumns: readonly number[] = [
  2, 4, 5, 7, 8, 9, 13, 14, 17, 21, 24, 33, 35, 39, 40, 41, 42, 43, 44, 58, 59, 60, 79, 85,
];
