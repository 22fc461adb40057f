"""The codec: what was encoded comes back, and nothing else ever does."""

from __future__ import annotations

from binascii import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from galley_board import wire

Frame = tuple[str, int, tuple[int, ...]]


def decode_all(decoder: wire.Decoder, data: bytes) -> list[Frame]:
    frames, at = [], 0
    while at < len(data):
        at = decoder.take(data, at, len(data))
        if decoder.kind:
            frames.append((decoder.kind, decoder.seq, tuple(decoder.fields[: decoder.count])))
    return frames


@st.composite
def frames(draw: st.DrawFn, kinds: str = wire.FROM_BOARD) -> Frame:
    kind = draw(st.sampled_from(kinds))
    fields = [draw(st.integers(low, high)) for _, low, high in wire.FORMS[kind][1]]
    return kind, draw(st.integers(0, wire.SEQUENCE - 1)), tuple(fields)


def encoded(frame: Frame) -> bytes:
    return wire.encode(frame[0], frame[1], *frame[2])


@given(frames(wire.FROM_BOARD + wire.FROM_HOST))
def test_what_was_encoded_comes_back(frame: Frame) -> None:
    decoder = wire.Decoder(wire.FROM_BOARD + wire.FROM_HOST)
    assert decode_all(decoder, encoded(frame)) == [frame]
    assert decoder.bad == 0


@given(frames(wire.FROM_BOARD + wire.FROM_HOST), st.integers(0, 100))
def test_both_ways_to_write_a_frame_agree(frame: Frame, at: int) -> None:
    kind, seq, fields = frame
    out = bytearray(b"x" * 200)
    end = wire.put(out, at, kind, seq, fields, len(fields))
    assert bytes(out[at:end]) == encoded(frame)
    assert set(out[:at] + out[end:]) <= set(b"x")


@pytest.mark.parametrize("kind", wire.FORMS)
def test_the_longest_frame_of_each_kind_fits_sixty_bytes(kind: str) -> None:
    longest = wire.encode(kind, wire.SEQUENCE - 1, *[high for _, _, high in wire.FORMS[kind][1]])
    assert len(longest) <= 60
    assert longest.endswith(b"\n")
    assert longest.isascii()


@pytest.mark.parametrize("kind", wire.FORMS)
def test_no_kind_has_more_fields_than_the_decoder_holds(kind: str) -> None:
    assert len(wire.FORMS[kind][1]) <= wire.MAX_FIELDS


def test_the_two_directions_share_no_kind() -> None:
    assert sorted(wire.FROM_BOARD + wire.FROM_HOST) == sorted(wire.FORMS)
    assert wire.FROM_BOARD.isupper()
    assert wire.FROM_HOST.islower()


@given(st.binary(max_size=400), st.lists(st.integers(1, 30), max_size=40))
def test_any_bytes_in_any_pieces_never_raise_and_leave_no_mark_past_a_newline(
    noise: bytes, pieces: list[int]
) -> None:
    decoder = wire.Decoder(wire.FROM_BOARD)
    at = 0
    for piece in pieces:
        decode_all(decoder, noise[at : at + piece])
        at += piece
    decode_all(decoder, noise[at:])
    after = encoded(("K", 1, (7, 3, 1, 99, 1000, 0, 7)))
    assert decode_all(decoder, b"\n" + after)[-1] == ("K", 1, (7, 3, 1, 99, 1000, 0, 7))


@given(st.lists(frames(), min_size=1, max_size=6), st.data())
def test_a_split_anywhere_changes_nothing(sent: list[Frame], data: st.DataObject) -> None:
    stream = b"".join(map(encoded, sent))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    decoder = wire.Decoder(wire.FROM_BOARD)
    got = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        got += decode_all(decoder, stream[start:end])
    assert got == sent


def spoiled_streams(stream: bytes) -> list[bytes]:
    """Every flip of a bit, drop, doubling and foreign byte at every position."""
    out = []
    for at in range(len(stream)):
        out += [stream[:at] + bytes([stream[at] ^ (1 << bit)]) + stream[at + 1 :] for bit in range(8)]
        out.append(stream[:at] + stream[at + 1 :])
        out.append(stream[: at + 1] + stream[at:])
        out += [stream[:at] + bytes([byte]) + stream[at:] for byte in b"\x00\n\r 0-\xff"]
    return out


def test_one_byte_wrong_anywhere_never_makes_a_frame_that_was_not_sent() -> None:
    sent = [
        ("K", 17, (204, 9, 1, 536805123, 250, 3, 201)),
        ("B", 18, (77, 512, 9, 8, 7, 0)),
        ("T", 19, (1, 2, 3, 4)),
    ]
    stream = b"".join(map(encoded, sent))
    follow_up = ("K", 20, (205, 9, 0, 536805200, 1000, 0, 201))
    for spoiled in spoiled_streams(stream):
        decoder = wire.Decoder(wire.FROM_BOARD)
        got = decode_all(decoder, spoiled + b"\n" + encoded(follow_up))
        assert got[-1] == follow_up, f"no resync after {spoiled!r}"
        assert all(frame in sent for frame in got[:-1]), f"invented {got} from {spoiled!r}"
        assert len(got) >= len(sent) - 1, f"more than two frames lost to one byte: {spoiled!r}"


@pytest.mark.parametrize(
    "line",
    [
        b"T 1 2 3 4 05",
        b"T 1 02 3 4 5",
        b"T 1  2 3 4 5",
        b"T 1 +2 3 4 5",
        b"T 1 -2 3 4 5",
        b"T 1 2 3 4",
        b"T 1 2 3 4 5 6",
        b"T 1 2 3 4 5 ",
        b"T 100 2 3 4 5",
        b"T 1 70000 3 4 5",
        b"T 1 2 99999999999999999999 4 5",
        b"T1 2 3 4 5",
        b"t 1 2",
        b"Q 1 2",
        b"\xc1 1 2 3 4 5",
        b"T",
        b"",
    ],
)
def test_any_other_spelling_is_refused_even_with_a_right_checksum(line: bytes) -> None:
    decoder = wire.Decoder(wire.FROM_BOARD)
    assert decode_all(decoder, line + b" %08x\n" % crc32(line)) == []
    assert decoder.bad == 1


def test_the_checksum_must_be_lower_case_hex() -> None:
    frame = encoded(("T", 1, (2, 3, 4, 5)))
    assert frame[-9:-1].upper() != frame[-9:-1]
    assert decode_all(wire.Decoder(wire.FROM_BOARD), frame[:-9] + frame[-9:].upper()) == []


def test_an_endless_line_is_one_bad_line() -> None:
    decoder = wire.Decoder(wire.FROM_BOARD)
    decode_all(decoder, b"x" * 10_000)
    assert decode_all(decoder, b"\n" + encoded(("T", 1, (2, 3, 4, 5)))) == [("T", 1, (2, 3, 4, 5))]
    assert decoder.bad == 1


def test_gaps_in_the_sequence_are_counted_across_its_wrap() -> None:
    decoder = wire.Decoder(wire.FROM_BOARD)
    for seq in (98, 99, 0, 3):
        decode_all(decoder, encoded(("T", seq, (0, 0, 0, 1))))
    assert decoder.gaps == 2


@pytest.mark.parametrize(
    "kind, fields, message",
    [
        ("Q", (), "frame kind 'Q' is unknown"),
        ("T", (1, 2), "frame time has 2 fields: it takes 4"),
        ("K", (1, 17, 1, 0, 0, 0, 1), "key of frame key is 17: it must be 0 to 16"),
        ("K", (1, -1, 1, 0, 0, 0, 1), "key of frame key is -1: it must be 0 to 16"),
        ("K", (1, 9, 1, 0, 2000, 0, 1), "us of frame key is 2000: it must be 0 to 1999"),
    ],
)
def test_a_wrong_frame_cannot_be_made(kind: str, fields: tuple[int, ...], message: str) -> None:
    with pytest.raises(wire.FieldError, match=message):
        wire.encode(kind, 0, *fields)


def test_the_digest_tells_any_one_changed_output_apart() -> None:
    # crc32 is linear: whether a change is seen depends only on which bits changed, so all of them fit here
    dark_dice, dark_lamps, dark_deck = [0] * 8, [0] * 11, list(wire.DARK_DECK)
    dark = wire.digest(dark_dice, dark_lamps, dark_deck, 220, 255)
    for at in range(8):
        for bits in range(1, wire.DIE_CODES):
            dice = [bits if i == at else 0 for i in range(8)]
            assert wire.digest(dice, dark_lamps, dark_deck, 220, 255) != dark, f"die {at}, bits {bits:#x}"
    for at in range(11):
        for bits in range(1, wire.LAMP_CODES):
            lamps = [bits if i == at else 0 for i in range(11)]
            assert wire.digest(dark_dice, lamps, dark_deck, 220, 255) != dark, f"lamp {at}, bits {bits:#x}"
    for at in range(wire.DECK_CODES):
        for bits in range(1, wire.LAMP_CODES):
            deck = [code ^ bits if i == at else code for i, code in enumerate(dark_deck)]
            assert wire.digest(dark_dice, dark_lamps, deck, 220, 255) != dark, f"deck {at}, bits {bits:#x}"
    assert wire.digest(dark_dice, dark_lamps, dark_deck, 219, 255) != dark
    assert wire.digest(dark_dice, dark_lamps, dark_deck, 220, 254) != dark
