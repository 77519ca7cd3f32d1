import { useEffect, useState } from 'preact/hooks'
import { say } from '../draw/say.js'
import { copy } from './copy.js'

interface Props {
  readonly label: string
  /** What is copied; asked for at the click. */
  readonly text: () => string | Promise<string>
}

/** How long the button says that it has copied. */
const SAID_MS = 2000

/** Copies a text, and says that it has. */
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
        const words = (await copy(await text())) ? 'Copied' : 'Not copied: select the text and copy it'
        setSaid(words)
        say(`${label}: ${words.toLowerCase()}`)
      }}
    >
      {said === '' ? label : said}
    </button>
  )
}
