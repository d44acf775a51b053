/// Everything the home server keeps: one store, seen by each room through the protocol it needs.
///
/// Every method is one transaction; an engine may put several callers into one commit. When a method
/// returns, its effect is on disk; when it throws, nothing of it happened.
package typealias HomeStore = AcceptingStore & CredentialStore & DeviceStore & DispatchingStore
    & InboxStore & InspectionStore & MaintenanceStore
