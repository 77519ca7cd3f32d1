/** Stands for a number that JSON lacks: a noncharacter of Unicode, which texts for exchange do not hold. */
const MARK = '\ufdd0'
/** Strings, and numbers that JSON lacks. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|(?:-?Infinity|NaN)(?!\s*:)/gs

/** What a file is that begins so, and is none of the formats that it should be; undefined: no more is known. */
export function otherFile(start: string): string | undefined {
  if (start.startsWith('version '))
    return 'It is a pointer of Git LFS: run `git lfs pull` where it was cloned'
  if (/^\s*<[!\w]/.test(start)) return 'It is a page of HTML: the download went wrong'
  if (start.startsWith('\ufeff')) return 'It begins with a byte order mark (U+FEFF)'
  return undefined
}

/**
 * Parses JSON as Python's `json.dumps` writes it: `NaN`, `Infinity` and `-Infinity` are numbers.
 *
 * @throws SyntaxError
 */
export function parsePythonJson(text: string): unknown {
  if (text.startsWith('\ufeff')) throw new SyntaxError('It begins with a byte order mark (U+FEFF)')
  try {
    return JSON.parse(text)
  } catch (error) {
    const marked = text.replace(TOKENS, (token) => (token.startsWith('"') ? token : `"${MARK}${token}"`))
    if (marked === text) throw error
    return JSON.parse(marked, (_, value) =>
      typeof value === 'string' && value.startsWith(MARK) ? Number(value.slice(MARK.length)) : value,
    )
  }
}

/** Index behind the string that begins at a quote; the text's length for one that does not end. */
export function endOfString(text: string, quote: number): number {
  for (let at = quote + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at + 1
  }
  return text.length
}
