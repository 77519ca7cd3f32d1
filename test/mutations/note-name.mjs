/** The file that tells which functions a test called. */
export function noteName(test) {
  return `${test.replaceAll('/', '!')}.json`
}
