/**
 * Puts a text on the clipboard. A page that came without TLS from another machine has no clipboard of its own: there
 * the text goes by a selection.
 *
 * @returns whether it is there
 */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copySelected(text)
  }
}

function copySelected(text: string): boolean {
  const before = document.activeElement as HTMLElement | null
  const box = document.createElement('textarea')
  box.value = text
  box.className = 'only-read'
  document.body.append(box)
  box.select()
  const isThere = document.execCommand('copy')
  box.remove()
  before?.focus()
  return isThere
}
