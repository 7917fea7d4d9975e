import { describe, expect, it } from 'vitest';
import { renderTemplate } from '../../../../src/engine/render/render-template.ts';

const model = { server: { name: 'a' }, list: [1, 2], blank: 'x y' };
const mark = '# hawser renders this file: edit its template, not the result.\n';
const render = (template: string) => renderTemplate(template, model, { templatePath: '/etc/t.ejs' });
const messageOf = (template: string) => {
  const outcome = render(template);
  return outcome.kind === 'failed' ? outcome.message : `no failure: ${outcome.text}`;
};

describe('a valid template', () => {
  it('gets the fields of the model as variables', () => {
    expect(render('n <%= server.name %> <% for (const n of list) { %><%= n %><% } %>\n')).toEqual({
      kind: 'rendered',
      text: `${mark}n a 12\n`,
    });
  });

  it('gets the final newline that it lacks', () => {
    expect(render('a')).toEqual({ kind: 'rendered', text: `${mark}a\n` });
  });

  it('keeps the mark of rendered text', () => {
    const text = '# hawser renders this file again\n';
    expect(render(text)).toEqual({ kind: 'rendered', text });
  });
});

describe('a failure names the template, the line and the problem', () => {
  it.each([
    ['an unknown variable', 'a\nb <%= typo %>', 'line 2: typo is not defined'],
    ['an unknown field', 'a\n\n<%= server.nmae %>', 'line 3: Cannot read "server.nmae"'],
    ['an unknown field in raw output', '<%- server.nmae %>', 'line 1: Cannot read "server.nmae"'],
    [
      'an unknown field in a condition',
      '<% if (server.nmae) { %>a<% } %>',
      'line 1: Cannot read "server.nmae"',
    ],
    ['an index that is not there', '<%= list[2] %>', 'line 1: Cannot read "list.2"'],
    ['an object that is printed', '<%= server %>', 'line 1: Cannot print a value of type "object"'],
    ['a value with a blank', 'a\n<%= blank %>', 'line 2: Cannot print the value "x y"'],
    ['a syntax error', 'a\n\n<% if (x { %>\nb', 'line 3: the code between the tags is not valid JavaScript'],
    ['a tag that is never closed', 'a\n<%= server.name %>\n<%= server', 'line 3: a tag is never closed'],
    [
      'a tag that opens inside another',
      'a\n<%= server.name\n<%= server.name %>',
      'line 2: a tag is never closed',
    ],
    ['an include', '<%- include("/etc/passwd") %>', 'line 1: Cannot include "/etc/passwd"'],
    ['the process', '\n<%= process.env.HOME %>', 'line 2: '],
    ['a change of the model', '<% server.name = "b" %>', 'line 1: Cannot set "server.name"'],
    ['no output', ' \n<% %>\n', 'it prints nothing'],
    [
      'output without end',
      '<% for (;;) { %><%= server.name %><% } %>',
      'MAX_RENDERED_CHARACTERS (1000000 characters)',
    ],
    [
      'too much output',
      '<% for (let i = 0; i < 9999; i++) { %>0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789x<% } %>',
      'MAX_RENDERED_CHARACTERS (1000000 characters)',
    ],
  ])('a template error names the file and the limit: %s', (_what, template, expected) => {
    expect(messageOf(template)).toMatch(/^Cannot render template "\/etc\/t\.ejs"/);
    expect(messageOf(template)).toContain(expected);
  });
});
