import { expect, test } from 'vitest';
import { breakages, copyProgram } from '../../helpers/broken-program.ts';
import { ports } from '../../helpers/supervisor-configuration.ts';
import { createSupervisedHost, shortTimes } from '../../helpers/supervisor-host.ts';
import { waitFor } from '../../helpers/wait-for.ts';

test.each(breakages)(
  'HAProxy dies while its program cannot be started (%s): it is back once the program works',
  async (way) => {
    await using host = await createSupervisedHost();
    const program = copyProgram('/usr/sbin/haproxy', host.paths.dir);
    host.install('v1');
    const supervisor = host.supervise([...shortTimes, '--haproxy', program.path]);
    const { pid } = await supervisor.waitForServing();

    program.break(way);
    process.kill(pid, 'SIGKILL');
    await waitFor(
      'two starts to fail',
      async () => ((await supervisor.status()).restart?.failures ?? 0) >= 2,
    );
    expect(host.events('generation-refused')).not.toEqual([]);
    // The supervisor still answers, and says why.
    expect(await supervisor.reload()).toMatchObject({ ok: false });
    expect((await supervisor.status()).lastFailure).not.toBeNull();

    program.repair();
    const { generation } = await supervisor.waitForServing(1);
    expect(await host.namespace.run('curl', '-sf', `http://127.0.0.1:${ports.version}/`)).toBe('v1');
    host.install('v2');
    expect(await supervisor.reload()).toMatchObject({ ok: true, generation: generation + 1 });
    expect(host.events('internal-error')).toEqual([]);
    supervisor.kill('SIGTERM');
    expect(await supervisor.ended).toBe(0);
  },
);
