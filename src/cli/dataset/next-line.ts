import { visible } from '../visible.js'

/** Writes the command that follows on stderr, for the same service. */
export function nextLine(values: ReadonlyMap<string, string>, command: string): void {
  const url = values.get('url')
  const flag = url === undefined ? '' : ` --url ${visible(url)}`
  process.stderr.write(`Next: inlet dataset ${visible(command)}${flag}\n`)
}
