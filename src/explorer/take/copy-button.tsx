import { useEffect, useState } from 'preact/hooks'
import { say } from '../draw/say.js'
import { copy } from './copy.js'

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
