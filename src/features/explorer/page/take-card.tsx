import { useEffect, useState } from 'preact/hooks'
import { Card } from './card.js'
import { refresh } from './flow.js'
import { useKey } from './notices.js'
import { linkOfPage } from './page-link.js'
import { ChoiceField } from './recipe-bar.js'
import { answer, apiKey, model, say } from './store.js'
import { bodyTypeOf, outputsOf, type Snippet, snippetOf, type Taken, takenOf, WAYS } from './take.js'

/** The card that gives a tensor on screen as lines to run elsewhere, as a file, as a link. */
export function TakeCard() {
  const [way, setWay] = useState<(typeof WAYS)[number]>('curl')
  const [name, setName] = useState('input_embeddings')
  const current = answer.value
  if (current === undefined) return null
  const outputs = outputsOf(current)
  const output = outputs.find((each) => each === name) ?? outputs[0]
  const hasKey = apiKey.value !== ''
  const source = { service: new URL('.', document.baseURI).href, needsKey: hasKey, model: model.value }
  const forgetKey = () => {
    useKey('')
    void refresh()
  }
  return (
    <Card
      id="take"
      title="Take it with you"
      about="The tensor that is on screen, to the last bit, made by lines that run where you work."
    >
      <div class="taken">
        <ChoiceField
          name="taken"
          label="Tensor"
          value={output}
          options={outputs.map((each) => [each, each] as const)}
          onValue={setName}
        />
        <DownloadButtons taken={takenOf(current, output, source)} />
        <div class="buttons">
          <CopyButton label="Copy the link" text={linkOfPage} />
        </div>
      </div>
      <fieldset class="tabs">
        <legend>Lines for</legend>
        {WAYS.map((each) => (
          <label key={each} class={each === way ? 'on' : ''}>
            <input type="radio" name="way" checked={each === way} onChange={() => setWay(each)} />
            {each}
          </label>
        ))}
      </fieldset>
      <SnippetView way={way} snippet={snippetOf(way, current, output, source)} />
      {hasKey ? (
        <p class="note">
          Your key is in none of these lines: they read it from <code>INLET_API_KEY</code>.{' '}
          <button type="button" class="quiet" onClick={forgetKey}>
            Forget the key
          </button>
        </p>
      ) : null}
    </Card>
  )
}

/** The lines with a button that copies them, and the file that they read. */
function SnippetView({ way, snippet }: { readonly way: string; readonly snippet: Snippet }) {
  if ('why' in snippet) return <p class="note why">{snippet.why}</p>
  const { code, file } = snippet
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <pre class="lines" tabIndex={0} role="region" aria-label={`Lines for ${way}`}>
        <code>{code}</code>
      </pre>
      <div class="buttons">
        <CopyButton label="Copy the lines" text={() => code} />
        {file === undefined || file.content === '' ? null : (
          <button type="button" onClick={() => keepFile(file.name, new Blob([file.content]))}>
            Save {file.name}, which they read
          </button>
        )}
      </div>
      {file?.content === '' ? <p class="note">They read input_ids, saved above as npy.</p> : null}
    </>
  )
}

/** Media types of the files that a tensor can be kept as. */
const FILE_TYPES = { npy: 'application/x-npy', safetensors: 'application/vnd.safetensors' } as const
type FileType = keyof typeof FILE_TYPES

/** Saves the tensor as a file, as the service writes it. */
function DownloadButtons({ taken }: { readonly taken: Taken }) {
  const [refusal, setRefusal] = useState('')
  const save = async (type: FileType) => {
    const name = `${taken.output}.${type}`
    try {
      keepFile(name, await fetchFile(taken, type, apiKey.value))
      setRefusal('')
      say(`${name} saved`)
    } catch (reason) {
      setRefusal((reason as Error).message)
    }
  }
  return (
    <div class="buttons">
      {(Object.keys(FILE_TYPES) as FileType[]).map((type) => (
        <button key={type} type="button" onClick={() => save(type)}>
          Save as {type}
        </button>
      ))}
      {refusal === '' ? null : (
        <p class="refusal" role="alert">
          {refusal}
        </p>
      )}
    </div>
  )
}

/** The answer of a call as the service writes it to a file. @throws Error with the service's message */
async function fetchFile(taken: Taken, type: FileType, key: string): Promise<Blob> {
  const { address, body } = taken
  const headers: Record<string, string> = { accept: FILE_TYPES[type], 'content-type': bodyTypeOf(taken) }
  if (key !== '') headers.authorization = `Bearer ${key}`
  const content = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(address, { method: 'POST', headers, body: content })
  if (response.ok) return response.blob()
  const answer = await response.json().catch(() => undefined)
  throw new Error(answer?.error?.message ?? `${response.status} ${response.statusText}`.trim())
}

/** Hands a file to the browser, which saves it. */
function keepFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

interface CopyProps {
  readonly label: string
  /** Gives the text to copy, at the click. */
  readonly text: () => string | Promise<string>
}

const SAID_MS = 2000

function CopyButton({ label, text }: CopyProps) {
  const [said, setSaid] = useState('')
  useEffect(() => {
    const timer = said === '' ? undefined : setTimeout(() => setSaid(''), SAID_MS)
    return () => clearTimeout(timer)
  }, [said])
  const onClick = async () => {
    const words = (await copy(await text())) ? 'Copied' : 'Not copied'
    setSaid(words)
    say(`${label}: ${words.toLowerCase()}`)
  }
  return (
    <button type="button" onClick={onClick}>
      {said === '' ? label : said}
    </button>
  )
}

/** Puts a text on the clipboard. A page without TLS has none: there the text goes by a selection. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const before = document.activeElement as HTMLElement | null
    const box = document.createElement('textarea')
    box.value = text
    box.className = 'only-read'
    document.body.append(box)
    box.select()
    const isCopied = document.execCommand('copy')
    box.remove()
    before?.focus()
    return isCopied
  }
}
