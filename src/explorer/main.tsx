import { render } from 'preact'
import { App } from './app.js'
import { start } from './flow.js'
import { startLink } from './link/page-link.js'
import { restoreKey } from './states/key.js'
import { startWaiting } from './states/waiting.js'

restoreKey()
startWaiting()
render(<App />, document.getElementById('page') as HTMLElement)
void startLink().then(start)
