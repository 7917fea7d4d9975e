import { expect, it } from 'vitest';
import { renderInChild } from '../../../src/pod-proxy/template/render-in-child.ts';

const model = { hosts: { web: ['10.0.0.1'] }, certs: {} };
const { signal } = new AbortController();

it('a template is rendered in a separate process', async () => {
  expect(await renderInChild({ template: '{{ hosts.web }}', model }, signal)).toEqual({
    kind: 'rendered',
    text: '10.0.0.1\n',
  });
});

it.each([
  ['loops', '{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}x'],
  ['fills the memory', '{% for i in range(1000000000) %}{% endfor %}x'],
  ['prints 10 MB', '{% for i in range(10000) %}{{ "x"|indent(1000, true) }}{% endfor %}'],
  ['asks for the process', '{{ hosts.constructor.constructor("return process")() }}'],
  ['is not closed', '{% for x in hosts %}'],
])('only the template fails if it %s', async (_what, template) => {
  expect(await renderInChild({ template, model }, signal)).toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('Cannot render the template'),
  });
});
