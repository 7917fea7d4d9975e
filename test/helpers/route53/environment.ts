/** Points this process's SDK at a fake, with made-up credentials, until disposed of. */
export function useFakeRoute53(url: string): Disposable {
  const variables = {
    AWS_ENDPOINT_URL_ROUTE_53: url,
    AWS_ACCESS_KEY_ID: 'AKIDFAKE',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  };
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  return {
    [Symbol.dispose]: () => {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    },
  };
}
