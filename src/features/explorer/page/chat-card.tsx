import { useState } from 'preact/hooks'
import { Card } from './card.js'
import { loadChat } from './chat.js'
import { useLoaded } from './flow.js'
import type { Answer } from './load.js'
import { counted } from './numbers.js'
import { visible } from './tokens.js'

const FIRST = `system: You count ships.
user: Hello! How many are there?
assistant: Seventeen ships.
user: And at night?
assistant: None that I can see.`

const ABOUT =
  'What people train on is chats. The model’s template writes one text of the messages. Trained is what the model itself would write, the end of its turn too, so that it learns to stop; all else is given to it. One line a message, its role first.'

/** A chat that is typed, as its template writes it, and what of it is trained. */
export function ChatCard({ model }: Answer) {
  const [text, setText] = useState(FIRST)
  const [asked, setAsked] = useState<string>()
  const shown = useLoaded(asked && `${model.id} ${asked}`, (client) => loadChat(client, asked!, model))
  return (
    <Card id="chat" title="A chat that is trained on" about={ABOUT}>
      <textarea
        aria-label="Messages"
        rows={6}
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <div class="buttons">
        <button type="button" class="primary" onClick={() => setAsked(text)}>
          Show what is trained
        </button>
      </div>
      {typeof shown === 'string' ? <p class="empty">{shown}</p> : null}
      {typeof shown === 'object' ? <Trained {...shown} /> : null}
    </Card>
  )
}

function Trained({ texts, mask, isPlain }: Exclude<Awaited<ReturnType<typeof loadChat>>, string>) {
  const trained = Array.from(mask).filter(Boolean).length
  return (
    <>
      <p class="facts-line" aria-live="polite">
        <b>
          {counted(trained)} of {counted(texts.length)} tokens are trained.
        </b>{' '}
        {isPlain ? 'This model has no template: this plain one ends an answer with <|endoftext|>.' : ''}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls has to be reached by the keyboard */}
      <section class="strip" tabIndex={0} aria-label="The chat in tokens">
        {texts.map((text, token) => (
          <span key={token} class={`token ${mask[token] === 1 ? 'hue-0 trained' : 'given'}`}>
            <span class="text">{visible(text)}</span>
            {mask[token] === 1 ? <span class="only-read"> trained</span> : null}
          </span>
        ))}
      </section>
    </>
  )
}
