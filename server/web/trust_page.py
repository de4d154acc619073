"""Owns the words of the page that tells how devices come to trust this server.

``%NAME%`` and the like are filled in by ``trust.py``; none of the markup is anyone else's.
"""

PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Trust this Armspan server</title>
<link rel="icon" href="/favicon.svg">
<link rel="stylesheet" href="/trust.css">
<main>
<h1>Trust this server</h1>
<p>Headsets and microphones are given to encrypted pages only. This server made its own
certificate, so a device shows a warning until you install the server&rsquo;s authority once. It is
good until <b>%UNTIL%</b> and for addresses of this network alone; it cannot vouch for any site on
the internet.</p>
<p><a class="button" href="/ca.crt">Download the certificate</a></p>
<p>Compare before you install: its name is <b>%NAME%</b>, and its SHA-256 fingerprint must be the
one that the server printed when it started.</p>
<p><code class="print">%PRINT%</code></p>

<h2>Without installing anything</h2>
<p>In a desktop browser, and in the browsers of Quest and Android, choose <i>Advanced</i> on the
warning, then <i>Proceed to %HOST%</i>. Sessions, headset and microphone work after that; the
browser asks again some days later, or when the server&rsquo;s address changes. If the page opens
but says that the session cannot be reached, the browser kept the warning from the page&rsquo;s
connections: reload the page and accept once more, or install the certificate. Safari on iPhone and
iPad does not always accept: install it there.</p>

<h2>Meta Quest</h2>
<p>Accepting the warning is the simplest way. Many versions have no menu for
installing certificates. With a cable there is a way without any certificate: start the server
without <code>--https</code>, on the computer run <code>adb reverse tcp:8080 tcp:8080</code> (the
server&rsquo;s port), and open <code>http://localhost:8080</code> in the headset. Managed headsets
take the certificate from their device manager.</p>

<h2>Android</h2>
<ol>
<li>Download the certificate.</li>
<li>Settings, <i>Security &amp; privacy</i>, <i>More security settings</i>, <i>Encryption &amp;
credentials</i>, <i>Install a certificate</i>, <i>CA certificate</i>, <i>Install anyway</i>; choose
<code>armspan-ca.crt</code>.</li>
<li>Close and reopen Chrome.</li>
</ol>

<h2>iPhone and iPad</h2>
<ol>
<li>Download the certificate with Safari and allow the profile.</li>
<li>Settings, <i>General</i>, <i>VPN &amp; Device Management</i>: install the profile.</li>
<li>Settings, <i>General</i>, <i>About</i>, <i>Certificate Trust Settings</i>: switch it on.
Without this step nothing changes.</li>
</ol>

<h2>Windows</h2>
<ol>
<li>Download the certificate and open it; <i>Install Certificate</i>, <i>Current User</i>.</li>
<li>Choose <i>Place all certificates in the following store</i>, <i>Trusted Root Certification
Authorities</i>.</li>
<li>Close and reopen Chrome or Edge.</li>
</ol>

<h2>macOS</h2>
<ol>
<li>Download the certificate and open it; Keychain Access adds it to <i>login</i>.</li>
<li>Double-click it there, open <i>Trust</i>, and set <i>When using this certificate</i> to
<i>Always Trust</i>.</li>
</ol>

<h2>Linux</h2>
<p>Chrome and Chromium: Settings, <i>Privacy and security</i>, <i>Security</i>, <i>Manage
certificates</i>, then import it among the trusted authorities. For all programs on Debian and
Ubuntu:</p>
<pre>sudo cp armspan-ca.crt /usr/local/share/ca-certificates/
sudo update-ca-certificates</pre>

<h2>Firefox</h2>
<p>Settings, <i>Privacy &amp; Security</i>, <i>View Certificates</i>, <i>Authorities</i>,
<i>Import</i>; tick <i>Trust this CA to identify websites</i>. Firefox on Windows, macOS and
Android can use what the system trusts instead.</p>

<h2>Programs</h2>
<pre>armspan bots --url https://%HOST% --session NAME --count 4 --ca armspan-ca.crt
armspan bots --url https://%HOST% --session NAME --count 4 --fingerprint %FINGERPRINT%</pre>

<h2>Taking it back</h2>
<p>Remove it in the same place where you installed it. Whoever runs the server makes a new
authority by deleting the old one&rsquo;s file; what trusted the old one trusts nothing of the new
one.</p>
<p><a href="/">To the start page</a></p>
</main>
</html>
"""

STYLE = """\
:root {
  color-scheme: light dark;
}
body {
  margin: 0;
  font: 1rem/1.55 system-ui, sans-serif;
}
main {
  max-width: 42rem;
  margin: 0 auto;
  padding: 1.5rem 1.25rem 4rem;
}
h1 {
  font-size: 1.7rem;
}
h2 {
  margin-top: 2rem;
  font-size: 1.15rem;
}
code,
pre {
  font: 0.9em/1.5 ui-monospace, monospace;
}
pre {
  padding: 0.75rem;
  overflow-x: auto;
  border: 1px solid #8886;
  border-radius: 0.4rem;
}
.print {
  overflow-wrap: break-word;
}
.button {
  display: inline-block;
  padding: 0.6rem 1rem;
  border-radius: 0.4rem;
  color: #fff;
  background: #1d4ed8;
  text-decoration: none;
}
.button:focus-visible,
a:focus-visible {
  outline: 3px solid #f59e0b;
  outline-offset: 2px;
}
"""
