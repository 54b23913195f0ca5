// Checks of an open page by browser_test.py: each returns what is wrong.

const figures = () => [...document.querySelectorAll('figure svg')];

async function brokenImages() {
    for (const part of document.querySelectorAll('details')) part.open = true;
    const images = [...document.images];
    for (const image of images) image.loading = 'eager';
    await Promise.all(images.map(image => image.decode().catch(() => {})));
    return images.filter(image => image.naturalWidth === 0).map(image => image.getAttribute('src'));
}

function lettersBelow11() {
    return figures().flatMap(svg => [...svg.querySelectorAll('text')]).map(text => {
        const scale = Math.hypot(text.getScreenCTM().a, text.getScreenCTM().b);
        return [parseFloat(getComputedStyle(text).fontSize) * scale, text.textContent];
    }).filter(([size]) => size < 11);
}

function wordsCutOff() {
    return figures().flatMap(svg => {
        const whole = svg.getBoundingClientRect();
        return [...svg.querySelectorAll('text')].filter(text => {
            const box = text.getBoundingClientRect();
            return box.left < whole.left - 1 || box.right > whole.right + 1 || box.top < whole.top - 1 || box.bottom > whole.bottom + 1;
        }).map(text => text.textContent);
    });
}

// The corners of a text's letters on the screen, without the room above and below them; a text may stand slanted.
function corners(text) {
    const box = text.getBBox(), matrix = text.getScreenCTM(), spare = box.height / 7;
    return [[box.x, box.y + spare], [box.x + box.width, box.y + spare], [box.x + box.width, box.y + box.height - spare],
        [box.x, box.y + box.height - spare]].map(([x, y]) => new DOMPoint(x, y).matrixTransform(matrix));
}

// Whether two of them have a point in common: no edge's normal separates them.
function touch(one, other) {
    return [one, other].every(shape => shape.every((from, place) => {
        const to = shape[(place + 1) % 4], across = point => (to.y - from.y) * point.x - (to.x - from.x) * point.y;
        const [mine, theirs] = [one.map(across), other.map(across)];
        return Math.max(...mine) > Math.min(...theirs) && Math.max(...theirs) > Math.min(...mine);
    }));
}

function wordsOverEachOther() {
    return figures().flatMap(svg => {
        const words = [...svg.querySelectorAll('text')].map(text => [corners(text), text.textContent]);
        return words.flatMap(([one, says], place) => words.slice(place + 1).filter(([other]) => touch(one, other))
            .map(([, other]) => says + ' / ' + other));
    });
}

function scrollingFigures() {
    for (const part of document.querySelectorAll('details')) part.open = true;
    return [...document.querySelectorAll('figure .scroll, figure.scroll')].filter(box => box.scrollWidth > box.clientWidth + 1)
        .map(box => box.getAttribute('aria-label'));
}
