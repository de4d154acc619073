/** Owns the choice of page by the address. */

import './styles/base.css';
import './styles/picture.css';
import './styles/panel.css';
import './styles/notice.css';
import './styles/start.css';
import './styles/join.css';
import './styles/choices.css';
import './styles/toolbar.css';
import './styles/dialog.css';
import './styles/narrow.css';
import './styles/preferences.css';
import { sessionOf } from './net/link';
import { showSessionPage } from './ui/session_page';
import { showStartPage } from './ui/start_page';

const app = document.getElementById('app');
if (app !== null) {
  const link = sessionOf(location);
  if (link === undefined) showStartPage(app);
  else showSessionPage(app, link);
}
