import { linkOfPage } from '../link/page-link.js'
import { CopyButton } from './copy-button.js'

/** Copies the page's address, with the recipe in it. */
export function LinkButton() {
  return (
    <div class="buttons">
      <CopyButton label="Copy the link" text={linkOfPage} />
    </div>
  )
}
