"""Every fault that others met has its tests: the list, and where each row of it is held.

ROWS is the list of the faults that the box must survive, as it was given. HELD says for each row by which
tests; the tests may stand anywhere. What is named here must exist, so that a renamed test is noticed.
"""

from __future__ import annotations

import ast
import importlib
from functools import cache
from pathlib import Path

import pytest

from galley.sim.fault_plan import KNOBS, RANDOM, Fault, Plan, noise, parse

ROOT = Path(__file__).resolve().parents[2]

ROWS = {
    "ticks_wrap": "ticks_ms wraps 65 s after power-on, and every 2**29 ms",
    "scan_interval": "scan interval left at the 20 ms default",
    "near_presses": "two near-simultaneous presses, both orders, one frame 30 ms late",
    "time_jump": "time base of one board jumps by 2 s",
    "before_start": "press just before the start, released after",
    "no_sync": "sync replies never arrive",
    "uneven_boards": "asymmetric boards (0.5 ms and 10 ms loops), 5 % host stalls",
    "gc_pause": "board stalls in garbage collection",
    "host_stall": "host stalls",
    "queue_overflow": "key queue overflows (70 transitions in 300 ms)",
    "held_at_boot": "key held at boot",
    "bounce": "bounce train of 9 edges, neighbours quiet",
    "short_press": "press and release 3 ms apart between two loop turns",
    "scan_skip": "LED writes delay scanning",
    "stale_prefix": "port opened mid-stream",
    "host_not_reading": "host stops reading for 60 s with the port open",
    "console_noise": "console noise in the stream (titles, REPL banner, traceback)",
    "byte": "one byte flipped, dropped or doubled at every position",
    "frame_lost": "a whole frame lost, either way, twice running",
    "probing_program": "another program probes the port (AT, 10 s busy)",
    "second_opener": "second program opens the port",
    "reset_on_open": "board resets when the port opens",
    "unplugged": "board unplugged 0.2 / 2 / 30 s in a round",
    "swapped": "two identical boards swap port names, between runs and during one",
    "late_board": "board absent at start, appears at 20 s, leaves at 40 s",
    "some_boards": "start with 0, 1, 2 of 3 boards",
    "frozen": "transport freezes without an error for 5 s, then EIO",
    "brown_out": "brown-out: board comes back without data port, or not at all",
    "replay": "replay under another hash seed, other process",
    "chatter": "chattering switch, 500 events in 1 s",
    "host_killed": "host killed (-9) at any instant",
    "disk": "disk full, journal file read-only or damaged",
}

HELD = {
    "ticks_wrap": """
        tests/board/test_keys.py::test_the_wrap_of_ticks_neither_loses_nor_doubles_an_edge
        tests/host/test_ticks.py::test_ticks_go_on_across_the_wrap
        tests/host/test_ticks.py::test_the_wrap_65_s_after_power_on_is_crossed_like_any_other
        tests/host/test_link.py::test_a_board_across_the_wrap_of_its_ticks_keeps_beating_and_ageing
        tests/board/test_child.py::test_a_board_can_be_started_near_its_wrap_and_with_a_boot_id
        tests/faults/test_play_faults.py::test_ticks_near_their_wrap_keep_presses_in_order
    """,
    "scan_interval": """
        tests/faults/test_board_faults.py::test_a_scan_interval_that_would_smear_races_is_refused
        tests/faults/test_board_faults.py::test_a_keypad_left_at_20_ms_stamps_two_presses_5_ms_apart_alike
        tests/host/test_timekeeper.py::test_presses_nearer_than_the_stamps_can_tell_are_a_dead_heat
        tests/engine/test_race.py::test_what_cannot_be_known_is_a_dead_heat
    """,
    "near_presses": """
        tests/engine/test_race.py::test_a_frame_that_comes_30_ms_late_still_wins_when_it_was_pressed_first
        tests/engine/test_race.py::test_the_result_is_the_same_for_any_interleaving_and_any_delay
        tests/host/test_timekeeper.py::test_the_earlier_press_comes_out_first_whichever_arrives_first
        tests/faults/test_play_faults.py::test_two_presses_in_one_read_come_out_in_their_order
        tests/loop/test_race_on_boards.py::test_the_first_bell_wins_although_the_other_arrives_first
        tests/host/test_session.py::test_a_verdict_goes_into_the_record_and_out_again_with_its_step
    """,
    "time_jump": """
        tests/host/test_clock.py::test_a_jump_of_2_s_withholds_and_then_the_clock_starts_anew
        tests/host/test_clock.py::test_a_press_from_before_a_jump_is_never_told_wrong
        tests/host/test_timekeeper.py::test_a_board_whose_answers_never_agree_voids_the_race_instead_of_holding_it
    """,
    "before_start": """
        tests/engine/test_race.py::test_a_press_5_ms_before_go_is_a_false_start_and_the_start_is_idempotent
        tests/engine/test_race.py::test_while_the_gate_is_shut_every_press_is_a_false_start
        tests/host/test_timekeeper.py::test_a_roll_from_before_the_start_is_a_false_start
    """,
    "no_sync": """
        tests/faults/test_play_faults.py::test_without_answers_a_board_is_unsynchronised_and_age_stamps_are_used
        tests/host/test_clock.py::test_silence_is_told_within_3_s
        tests/host/test_timekeeper.py::test_without_answers_the_age_of_the_edge_stands_in_and_is_called_provisional
    """,
    "uneven_boards": """
        tests/host/test_clock.py::test_between_boards_the_error_stays_small
        tests/host/test_clock.py::test_no_decided_race_has_the_wrong_winner
        tests/board/test_child.py::test_a_fast_crystal_and_a_slow_loop_still_make_a_board
    """,
    "gc_pause": """
        tests/faults/test_board_faults.py::test_a_collection_stops_neither_the_scans_nor_the_stamps
        tests/faults/test_board_faults.py::test_a_pause_of_220_ms_loses_no_key_and_no_stamp_and_is_reported
        tests/board/test_child.py::test_a_stopped_board_goes_on_where_it_was_and_keeps_the_stamps
        tests/board/test_loop.py::test_garbage_is_collected_at_quiet_moments_and_timed
    """,
    "host_stall": """
        tests/faults/test_play_faults.py::test_a_host_that_stands_still_loses_no_key_and_no_board
        tests/host/test_link.py::test_a_stall_shorter_than_3_s_loses_no_edge_and_keeps_the_stamps
        tests/host/test_metrics.py::test_what_holds_the_loop_is_seen_and_told
    """,
    "queue_overflow": """
        tests/board/test_keys.py::test_a_full_queue_is_noticed_and_the_state_repaired
        tests/board/test_keys.py::test_a_release_lost_in_a_full_queue_is_told_late
        tests/board/test_keys.py::test_after_a_full_queue_the_next_push_counts
        tests/board/test_loop.py::test_an_overflow_is_counted_and_shown
        tests/faults/test_board_faults.py::test_a_queue_of_a_few_events_overflows_and_says_so
    """,
    "held_at_boot": """
        tests/faults/test_board_faults.py::test_held_at_boot_is_shown_as_stuck_and_its_release_is_no_press
        tests/board/test_keys.py::test_a_key_down_at_boot_is_stuck_and_not_a_press
        tests/board/test_child.py::test_a_key_held_while_the_board_is_plugged_in_is_stuck
    """,
    "bounce": """
        tests/board/test_keys.py::test_a_train_of_nine_edges_is_one_press
        tests/board/test_keys.py::test_neighbours_of_a_bouncing_key_stay_quiet
        tests/board/test_edges.py::test_a_bounce_train_of_nine_edges_is_one_press_of_one_key
        tests/faults/test_board_faults.py::test_a_bounce_of_nine_edges_is_one_press_of_one_key
    """,
    "short_press": """
        tests/board/test_keys.py::test_press_and_release_between_two_turns_keep_both_stamps
        tests/board/test_keys.py::test_press_and_release_three_ms_apart_are_one_press_with_both_stamps
    """,
    "scan_skip": """
        tests/faults/test_board_faults.py::test_scans_that_do_not_happen_delay_a_press_and_lose_none
        tests/faults/test_board_faults.py::test_writing_pixels_delays_a_stamp_by_2_ms_at_most
    """,
    "stale_prefix": """
        tests/faults/test_transport_faults.py::test_stale_bytes_before_the_hello_are_ignored
        tests/faults/test_real_ports.py::test_hello_comes_within_a_second_however_stale_the_first_bytes_are
        tests/host/test_link.py::test_what_an_earlier_session_left_in_the_cable_is_ignored
        tests/board/test_child.py::test_a_port_that_is_opened_again_begins_with_whole_frames
    """,
    "host_not_reading": """
        tests/host/test_link.py::test_a_host_that_reads_nothing_for_a_minute_gets_the_last_32_edges_and_the_count_of_the_lost
        tests/board/test_loop.py::test_a_host_that_stops_reading_does_not_slow_the_keys
        tests/board/test_child.py::test_a_host_that_stops_reading_finds_the_last_edges_and_no_broken_frame
    """,
    "console_noise": """
        tests/faults/test_transport_faults.py::test_console_noise_in_the_stream_loses_no_key
        tests/board/test_loop.py::test_noise_from_the_host_is_counted_and_ignored
        tests/board/test_child.py::test_console_output_never_reaches_the_data_port
        tests/host/test_logs.py::test_a_boards_traceback_is_one_record_and_other_lines_none
    """,
    "byte": """
        tests/faults/test_transport_faults.py::test_a_spoilt_byte_costs_one_frame_wherever_it_is
        tests/board/test_wire.py::test_one_byte_wrong_anywhere_never_makes_a_frame_that_was_not_sent
        tests/host/test_link.py::test_every_edge_arrives_once_and_in_order_on_any_line
    """,
    "frame_lost": """
        tests/faults/test_transport_faults.py::test_frames_lost_from_the_board_come_again_with_their_first_stamp
        tests/faults/test_transport_faults.py::test_a_view_lost_on_its_way_is_sent_again
        tests/host/test_link.py::test_two_acknowledgements_lost_running_repeat_the_edge_but_deliver_it_once
    """,
    "probing_program": """
        tests/faults/test_real_ports.py::test_a_port_that_another_program_holds_is_tried_again_until_it_lets_go
        tests/faults/test_transport_faults.py::test_a_probing_program_gets_no_answer_and_changes_nothing
    """,
    "second_opener": """
        tests/host/test_transport.py::test_a_port_that_another_program_holds_is_refused_with_the_remedy
        tests/faults/test_real_ports.py::test_a_port_that_another_program_holds_is_tried_again_until_it_lets_go
        tests/faults/test_real_ports.py::test_a_port_that_closes_slowly_is_opened_again_when_it_is_free
    """,
    "reset_on_open": """
        tests/faults/test_transport_faults.py::test_a_board_that_resets_at_each_opening_goes_on_as_a_new_one
        tests/host/test_link.py::test_a_reset_behind_an_open_port_starts_a_new_session_and_sends_the_view_again
        tests/faults/test_board_faults.py::test_a_board_that_starts_again_has_the_next_boot_id
    """,
    "unplugged": """
        tests/faults/test_play_faults.py::test_a_game_waits_for_its_board_and_goes_on_from_its_state
        tests/faults/test_play_faults.py::test_a_board_after_the_other_may_go_and_come
        tests/faults/test_real_ports.py::test_a_board_that_was_unplugged_shows_the_present_when_it_is_back
        tests/host/test_house.py::test_what_was_pressed_in_a_pause_is_void_however_late_it_comes
        tests/loop/test_running_box.py::test_a_killed_board_pauses_the_duel_which_goes_on_exactly_from_there
    """,
    "swapped": """
        tests/host/test_box.py::test_the_role_follows_the_board_when_two_swap_their_ports
        tests/faults/test_real_ports.py::test_roles_follow_the_boards_when_two_swap_their_ports_in_play
        tests/faults/test_plugging_faults.py::test_a_second_board_of_a_role_is_refused_with_both_ids
        tests/faults/test_plugging_faults.py::test_a_board_whose_strap_denies_its_role_plays_no_part
        tests/host/test_ports.py::test_the_data_port_is_taken_and_the_console_left_to_people
    """,
    "late_board": """
        tests/faults/test_plugging_faults.py::test_a_board_that_comes_late_and_goes_again_is_healed_and_named
        tests/host/test_house.py::test_a_game_begun_without_its_boards_waits_for_them
        tests/loop/test_running_box.py::test_only_the_boards_asked_for_are_simulated_and_one_may_be_pulled_while_they_start
    """,
    "some_boards": """
        tests/faults/test_plugging_faults.py::test_simulated_boards_stand_in_only_when_there_is_none
        tests/loop/test_running_box.py::test_only_the_boards_asked_for_are_simulated_and_one_may_be_pulled_while_they_start
    """,
    "frozen": """
        tests/faults/test_transport_faults.py::test_a_line_that_holds_everything_for_5_s_is_lost_by_the_heartbeat
        tests/host/test_link.py::test_a_silent_board_is_stale_after_750_ms_lost_after_3_s
        tests/loop/test_running_box.py::test_a_frozen_board_pauses_the_duel_until_it_moves_again
        tests/faults/test_real_ports.py::test_a_line_that_stalls_for_a_second_pauses_and_loses_nothing
    """,
    "brown_out": """
        tests/faults/test_plugging_faults.py::test_after_a_brown_out_the_note_names_the_power
        tests/faults/test_plugging_faults.py::test_both_notes_of_a_brown_out_name_the_power
        tests/board/test_boot.py::test_safe_mode_restarts_three_times_then_stays_and_shows_it
    """,
    "replay": """
        tests/engine/test_record.py::test_a_replay_is_the_same_under_another_hash_seed
        tests/engine/test_record.py::test_a_record_replays_to_the_same_state
    """,
    "chatter": """
        tests/board/test_keys.py::test_a_chattering_switch_is_muted_within_a_second
        tests/board/test_loop.py::test_a_chattering_key_is_named_and_heartbeats_stay_on_time
    """,
    "host_killed": """
        tests/loop/test_resume.py::test_nothing_a_page_has_shown_is_lost_when_the_host_is_killed
        tests/loop/test_resume.py::test_a_hundred_kills
        tests/loop/test_journal_kill.py::test_nothing_acknowledged_is_lost_when_the_process_is_killed
        tests/faults/test_soak.py::test_nothing_is_lost_whatever_fails
    """,
    "disk": """
        tests/host/test_journal_files.py::test_a_full_disk_is_said_and_nothing_that_waited_is_lost
        tests/host/test_journal_files.py::test_a_read_only_folder_is_said_and_the_game_is_still_found
        tests/host/test_journal_files.py::test_a_file_that_was_cut_at_any_page_is_set_aside
        tests/host/test_journal_files.py::test_flipped_bytes_are_noticed_or_do_no_harm
    """,
}


@cache
def names_in(path: str) -> frozenset[str]:
    file = ROOT / path
    assert file.is_file(), f"{path} is gone"
    return frozenset(
        node.name for node in ast.parse(file.read_text("utf-8")).body if isinstance(node, ast.FunctionDef)
    )


def test_every_row_is_held_and_no_other() -> None:
    assert set(HELD) == set(ROWS)


@pytest.mark.parametrize("row", ROWS)
def test_the_tests_of_a_row_exist(row: str) -> None:
    named = HELD[row].split()
    assert named
    for place in named:
        path, _, name = place.partition("::")
        assert name in names_in(path), f"{place}, which holds {ROWS[row]!r}, is gone"


@pytest.mark.parametrize("knob", KNOBS)
def test_every_knob_is_there(knob: str) -> None:
    module, place = KNOBS[knob]
    found: object = importlib.import_module(f"galley.sim.{module}")
    for name in place.split("."):
        fields = getattr(found, "__dataclass_fields__", {})
        found = fields[name] if name in fields else getattr(found, name)


def test_a_plan_is_made_again_by_its_seed_and_each_fault_by_its_line() -> None:
    plan = Plan(7, 120_000, ("left", "right"), 500)
    faults = plan.faults()
    assert faults == Plan(7, 120_000, ("left", "right"), 500).faults()
    assert faults != Plan(8, 120_000, ("left", "right"), 500).faults()
    assert {fault.knob for fault in faults} == set(RANDOM)
    assert [fault.at_ms for fault in faults] == sorted(fault.at_ms for fault in faults)
    for fault in faults:
        if fault.knob in KNOBS:
            assert parse(str(fault)) == fault
    assert parse("1200 left inject to_host AT\\r") == Fault(1200, "left", "inject", ("to_host", "AT\\r"))
    assert noise("AT\\r") == b"AT\r"
    with pytest.raises(ValueError, match="no knob burn"):
        parse("5 left burn 3")
