import { useState } from 'preact/hooks'
import { Card } from '../draw/card.js'
import { say } from '../draw/say.js'
import { refresh } from '../flow.js'
import { linkOfPage } from '../link/page-link.js'
import { ChoiceField } from '../recipe/fields.js'
import { useKey } from '../states/key.js'
import { answer, apiKey, model } from '../store.js'
import { CopyButton } from './copy-button.js'
import { FILE_TYPES, type FileType, fetchFile, keepFile } from './download.js'
import { outputsOf } from './outputs.js'
import { type Source, snippetOf, takenOf, WAYS, type Way } from './snippets.js'
import type { Snippet, Taken } from './taken.js'

/** The card that gives a tensor on screen as lines to run elsewhere, as a file, as a link. */
export function TakeCard() {
  const [way, setWay] = useState<Way>('curl')
  const [name, setName] = useState('input_embeddings')
  const current = answer.value
  if (current === undefined) return null
  const outputs = outputsOf(current)
  const output = outputs.find((each) => each === name) ?? outputs[0]
  const source: Source = {
    service: new URL('.', document.baseURI).href,
    needsKey: apiKey.value !== '',
    model: model.value,
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
        <LinkButton />
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
      <KeyNote />
    </Card>
  )
}

/** Tells where the key is kept, if there is one. */
function KeyNote() {
  if (apiKey.value === '') return null
  return (
    <p class="note">
      Your key is in none of these lines: they read it from <code>INLET_API_KEY</code>.{' '}
      <button
        type="button"
        class="quiet"
        onClick={() => {
          useKey('')
          void refresh()
        }}
      >
        Forget the key
      </button>
    </p>
  )
}

interface Props {
  readonly way: string
  readonly snippet: Snippet
}

/** The lines with a button that copies them, and the file that they read. */
function SnippetView({ way, snippet }: Props) {
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

/** Saves the tensor as a file, as the service writes it. */
function DownloadButtons({ taken }: { readonly taken: Taken }) {
  const { output } = taken
  const [refusal, setRefusal] = useState('')
  const save = async (type: FileType) => {
    try {
      keepFile(`${output}.${type}`, await fetchFile(taken, type, apiKey.value))
      setRefusal('')
      say(`${output}.${type} saved`)
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

/** Copies the page's address, with the recipe in it. */
function LinkButton() {
  return (
    <div class="buttons">
      <CopyButton label="Copy the link" text={linkOfPage} />
    </div>
  )
}
