/** A word of a POSIX shell in which nothing is expanded: it's → 'it'\''s'. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** A word, in quotes where it needs them. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : shellQuoted(text)
}

/** Most characters that stand in a command: a system takes 128 KB in one argument, a person fewer. */
const MAX_TYPED = 8192

/** Whether a text can stand in a command: a terminal acts on control characters, and no argument has a NUL. */
export function isTypable(text: string): boolean {
  return text.length <= MAX_TYPED && !/[^\P{Cc}\n\t]/u.test(text)
}
