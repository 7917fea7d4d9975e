/** Every program of ours has it, with one observation a second. */
export const lagMetric = {
  name: 'hawser_event_loop_lag_seconds',
  help: 'The longest that the event loop was late in each second: the program was busy, or starved of CPU.',
  buckets: [0.005, 0.02, 0.05, 0.1, 0.3, 1, 3],
};
