// @ts-check
// Shows a picture of the sample until the program draws it.
if (!/[#,]model=/.test(location.hash)) document.documentElement.classList.add('picture');
// Explains the error if the page's modules do not start: browsers refuse them from `file:`.
addEventListener('load', () => {
  const problem = document.getElementById('problem');
  if (document.body.dataset.started || !problem) return;
  document.documentElement.classList.remove('picture');
  problem.textContent = location.protocol === 'file:'
    ? 'Browsers do not start this page from a file. Serve its folder, for example by\npython3 -m http.server --directory FOLDER\nand open http://localhost:8000'
    : 'This page needs a browser with JavaScript modules, WebAssembly, module workers and DecompressionStream.';
  problem.hidden = false;
});
