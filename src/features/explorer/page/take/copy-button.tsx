import { useEffect, useState } from 'preact/hooks'
import { say } from '../draw/say.js'

interface Props {
  readonly label: string
  /** Gives the text to copy, at the click. */
  readonly text: () => string | Promise<string>
}

/** How long the button shows that it has copied. */
const SAID_MS = 2000

/** Copies a text, and confirms it. */
export function CopyButton({ label, text }: Props) {
  const [said, setSaid] = useState('')
  useEffect(() => {
    const timer = said === '' ? undefined : setTimeout(() => setSaid(''), SAID_MS)
    return () => clearTimeout(timer)
  }, [said])
  return (
    <button
      type="button"
      onClick={async () => {
        const words = (await copy(await text())) ? 'Copied' : 'Not copied'
        setSaid(words)
        say(`${label}: ${words.toLowerCase()}`)
      }}
    >
      {said === '' ? label : said}
    </button>
  )
}

/**
 * Puts a text on the clipboard. A page that came without TLS from another machine has no clipboard of its own: there
 * the text goes by a selection.
 *
 * @returns whether it is there
 */
async function copy(text: string): Promise<boolean> {
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
