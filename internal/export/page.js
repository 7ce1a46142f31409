
(() => {
  const make = (name, text) => { const e = document.createElement(name); e.textContent = text; return e };
  const all = selector => Array.from(document.querySelectorAll(selector));
  const bar = make('div', ''), field = make('input', ''), next = make('button', 'next'), count = make('span', '');
  const open = make('button', 'unfold all'), shut = make('button', 'fold all');
  let hits = [], at = -1;
  bar.className = 'tools';
  field.type = 'search';
  field.placeholder = 'search';
  field.setAttribute('aria-label', 'search');
  const show = () => {
    if (hits.length === 0) return;
    at = (at + 1) % hits.length;
    hits.forEach(e => e.classList.remove('found'));
    const hit = hits[at];
    hit.classList.add('found');
    for (let e = hit; e; e = e.parentElement) if (e.tagName === 'DETAILS') e.open = true;
    hit.scrollIntoView({ block: 'center' });
    count.textContent = (at + 1) + ' of ' + hits.length;
  };
  const seek = () => {
    hits.forEach(e => e.classList.remove('found'));
    const word = field.value.toLowerCase();
    hits = word === '' ? [] : all('main article, main .aside').filter(e => e.textContent.toLowerCase().includes(word));
    at = -1;
    count.textContent = word === '' ? '' : hits.length + ' found';
    show();
  };
  field.addEventListener('change', seek);
  field.addEventListener('keydown', e => { if (e.key === 'Enter' && at >= 0) { e.preventDefault(); show() } });
  next.addEventListener('click', show);
  open.addEventListener('click', () => all('details').forEach(e => { e.open = true }));
  shut.addEventListener('click', () => all('details').forEach(e => { e.open = false }));
  bar.append(field, next, count, open, shut);
  document.querySelector('header.page').append(bar);
  all('pre.code').forEach(pre => {
    const copy = make('button', 'copy');
    copy.className = 'copy';
    copy.addEventListener('click', () => {
      navigator.clipboard.writeText(pre.firstElementChild.textContent).then(() => { copy.textContent = 'copied' }, () => { copy.textContent = 'not copied' });
    });
    pre.before(copy);
  });
  const reveal = () => {
    const e = document.getElementById(location.hash.slice(1));
    for (let up = e; up; up = up.parentElement) if (up.tagName === 'DETAILS') up.open = true;
    if (e) e.scrollIntoView();
  };
  addEventListener('hashchange', reveal);
  reveal();
})();
