import { isTypable, shellQuoted, shellWord } from './shell.js'
import { flat, type Snippet, type Taken } from './taken.js'

/** The recipe as `inlet embed`, which takes one text. */
export function commandLine({ service, call, output, needsKey }: Taken): Snippet {
  const { text, fields } = parts(call)
  if (typeof text !== 'string') {
    return {
      why: Array.isArray(text)
        ? 'inlet embed reads one text, and this recipe has several: use another tab.'
        : 'inlet embed reads one text, and this recipe has ids: use another tab.',
    }
  }
  const file = isTypable(text) ? undefined : { name: 'text.txt', content: text }
  const source =
    file === undefined ? `printf %s ${shellQuoted(text)} |\n  inlet embed -` : 'inlet embed text.txt'
  const flags = Object.entries(fields)
    .filter(([, value]) => value !== 'false')
    .map(([name, value]) => flagOf(name, value))
  const code = [
    ...(needsKey ? ['# The key is read from INLET_API_KEY.\n'] : []),
    [source, ...flags, `--outputs ${output}`, `--url ${shellWord(service)}`, `-o ${output}.npy`].join(
      ' \\\n  ',
    ),
  ].join('')
  return { code, file }
}

/** A call's text and its other fields, as the query string writes them. */
function parts({ body, query = {} }: Taken['call']): {
  text: unknown
  fields: Readonly<Record<string, string>>
} {
  if (typeof body === 'string') {
    const { outputs: _outputs, ...fields } = query
    return { text: body, fields }
  }
  const { text, outputs: _outputs, ...fields } = body as Record<string, unknown>
  return { text, fields: flat(fields) }
}

/** position_embedding.head_dim, 4 → --position-embedding.head-dim 4. */
function flagOf(name: string, value: string): string {
  const flag = `--${name.replaceAll('_', '-')}`
  return value === 'true' && name === 'shuffle' ? flag : `${flag} ${shellWord(value)}`
}
