/** What the API load balancer and its HAProxy tell in the journal. */
export const apiLbJournal = {
  titles: {
    'server-transition': 'server',
    'generation-serving': 'now serving generation',
    'generation-refused': 'generation refused, cause',
  },
  trouble: ['generation-died', 'generation-hung'],
};
