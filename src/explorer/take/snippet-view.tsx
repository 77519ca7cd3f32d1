import { CopyButton } from './copy-button.js'
import { keepFile } from './download.js'
import type { Snippet } from './taken.js'

interface Props {
  readonly way: string
  readonly snippet: Snippet
}

/** The lines with a button that copies them, and the file that they read. */
export function SnippetView({ way, snippet }: Props) {
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
      {file?.content === '' ? (
        <p class="note">They read {file.name}: choose input_ids above and save it as npy.</p>
      ) : null}
    </>
  )
}
